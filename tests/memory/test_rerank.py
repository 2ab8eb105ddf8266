"""The second look at the best passages of archival_search."""

import numpy as np
import pytest

from researchassist.memory.rerank import reranked
from researchassist.memory.text import sentences
from tests.tiny_embedder import TinyEmbedder

LONG = "Owls sleep by day in old barns. Wrens build their nests low. " * 3
ANSWER = f"{LONG} The quota of project Heron is 41 samples a week. {LONG}"


def _order(texts: list[str], scores: list[float], query: str) -> list[int]:
    embedder = TinyEmbedder()
    return list(reranked(texts, scores, embedder.embed([query])[0], embedder))


def test_of_equally_good_passages_the_one_with_a_sentence_that_answers_comes_first():
    assert _order([LONG, ANSWER], [0.6, 0.6], "What is the quota of project Heron?") == [1, 0]


def test_a_passage_that_fits_much_better_as_a_whole_stays_first():
    assert _order([LONG, ANSWER], [1.6, 0.6], "What is the quota of project Heron?") == [0, 1]


def test_equal_passages_keep_their_order_and_blank_ones_come_last():
    assert _order(["", LONG, LONG], [0.5, 0.5, 0.5], "Where do owls sleep?") == [1, 2, 0]
    assert _order([" ", "\n"], [0.5, 0.5], "owls") == [0, 1]
    assert _order([], [], "owls") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Title\n\nIt is long enough. See above. It is as well.",
         ["# Title It is long enough.", "See above. It is as well."]),
        ("一つ目の文はここで終わります。二つ目の文もここで終わります。",
         ["一つ目の文はここで終わります。", "二つ目の文もここで終わります。"]),
        ("The ratio is 0.41 at version 2.3 of it", ["The ratio is 0.41 at version 2.3 of it"]),
        ("Short", ["Short"]), (" \n ", []),
    ],
)  # fmt: skip
def test_a_text_is_cut_at_its_sentences_and_short_ones_stand_with_the_next(text: str, found: list[str]):
    assert sentences(text, 14) == found


def test_the_search_looks_into_the_best_passages_only_for_the_tool(memory, monkeypatch):
    memory.write_knowledge_base(LONG, {"source": "a"})
    memory.write_knowledge_base(ANSWER, {"source": "b"})
    asked = []
    embed = type(memory.embedder).embed

    def watched(self, texts):
        asked.append(list(texts))
        return embed(self, texts)

    monkeypatch.setattr(type(memory.embedder), "embed", watched)
    query = "What is the quota of project Heron?"
    assert len(memory.read_knowledge_base(query).records) == 2
    assert asked == [[query]]
    records = memory.search_documents(query, 1).records
    assert [record.source for record in records] == ["b"]
    assert "The quota of project Heron is 41 samples a week." in asked[1]
    assert np.isfinite([record.score for record in records]).all()
