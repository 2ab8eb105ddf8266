"""Each signal of the recall is worth its place, on facts and questions written before the score."""

import numpy as np
import pytest
from django.conf import settings

from researchassist.errors import UnreadableFile
from researchassist.memory.ablation import Play, Row, Variant, play, read_play, variants
from researchassist.memory.embedding import packaged
from researchassist.memory.facts import weights
from researchassist.memory.scoring import Weights
from researchassist.options import Options

FILE = settings.BASE_DIR / "fixtures" / "memory" / "facts_and_questions.json"


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    """How each variant does on the real embedding model, with the weights of the options."""
    content, embedder = read_play(FILE), packaged()
    facts = embedder.embed([fact.text for fact in content.facts])
    questions = embedder.embed([question.text for question in content.questions])
    all_ = variants(weights(Options()))
    return {one.name: play(content, one, facts=facts, questions=questions, k=5) for one in all_}


def test_there_are_sixty_facts_and_twenty_questions_with_one_answer_each():
    content = read_play(FILE)
    assert (len(content.facts), len(content.questions)) == (60, 20)
    assert {q.expected for q in content.questions} <= {fact.id for fact in content.facts}
    signals = {"recency", "importance", "kind", "write-back", "touch", "relevance"}
    assert {question.decides for question in content.questions} == signals


@pytest.mark.parametrize(
    "without", ["relevance only", "no recency", "no importance", "no write-back", "flat decay"]
)
def test_the_whole_score_finds_the_right_fact_better_than_without_one_of_its_parts(rows, without: str):
    full, less = rows["full score"], rows[without]
    assert full.reciprocal_rank > less.reciprocal_rank
    assert full.first > less.first


def test_no_question_goes_without_its_fact(rows):
    assert rows["full score"].found == 20


def _play(*facts: dict, day: float = 0.0, expected: str = "a") -> Play:
    question = {"id": "q", "day": day, "text": "", "expected": expected, "decides": ""}
    base = {"text": "", "kind": "episodic", "importance": 5, "told": -1}
    return Play.model_validate(
        {"about": [], "facts": [{**base, **fact} for fact in facts], "questions": [question]}
    )


def _ranks(content: Play, variant: Variant, k: int = 5) -> tuple[int, ...]:
    same = np.ones((max(len(content.facts), 1), 1), dtype=np.float32)
    return play(content, variant, facts=same, questions=same[:1], k=k).ranks


EQUAL = Variant("", Weights())


def test_facts_that_are_told_later_do_not_answer_earlier():
    assert _ranks(_play({"id": "a", "told": 2}, {"id": "b"}), EQUAL) == (0,)
    assert _ranks(_play({"id": "a", "told": 2}, {"id": "b"}, day=3), EQUAL) == (1,)


def test_what_was_used_is_fresher_than_what_was_only_told():
    content = _play({"id": "b", "told": -5}, {"id": "a", "told": -60, "used": -1})
    assert _ranks(content, EQUAL) == (1,)
    assert _ranks(content, Variant("", Weights(), touches=False)) == (2,)


def test_no_write_back_keeps_nothing_of_the_play():
    content = _play({"id": "a", "told": 1}, day=2)
    assert _ranks(content, Variant("", Weights(), keeps_new=False)) == (0,)


def test_beyond_the_few_recalled_there_is_no_rank():
    content = _play({"id": "b", "importance": 9}, {"id": "a", "importance": 1})
    assert (_ranks(content, EQUAL), _ranks(content, EQUAL, k=1)) == ((2,), (0,))


@pytest.mark.parametrize("text", ["", "[]", '{"facts": []}', "\xff"])
def test_a_file_of_something_else_is_refused_with_a_sentence(tmp_path, text: str):
    path = tmp_path / "play.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UnreadableFile, match="facts and questions"):
        read_play(path)
