"""Which facts and lessons a turn is given: the best few, within their allowance, nothing twice.

How facts are ranked is memory/scoring.py's, where they stand in the request personal.py's.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from researchassist.memory.fact_records import FactRecord, LessonRecord
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import MessageRecord
from researchassist.memory.sameness import content_words

from .allowances import allowances
from .budget import weigh
from .own_words import speaks_of_oneself

# So many times the facts to be given are looked at, since some stand in the request already.
_POOL = 3
_SHORTEST_QUOTE = 10
# R6's estimate.
_CHARACTERS_A_TOKEN = 4


def facts(
    memory: MemoryManager,
    question: MessageRecord,
    *,
    message_ids: Collection[str] = (),
    stated: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> list[FactRecord]:
    """The facts for this message, best first, at most `facts_k` and within the allowance.

    Those that were told in one of these messages, that are `stated` word for word, or that stand in
    one of the texts in other order, are left out.
    """
    k, room = memory.options.facts_k, allowances(memory.options)["facts"]
    given: list[FactRecord] = []
    folded = [_folded(text) for text in (*stated, *texts)]
    lines = [content_words(one) for text in texts for one in text.splitlines()]
    for fact in memory.recall_facts(question.content, k * _POOL):
        if fact.message_id in message_ids or _stands_in(fact, folded) or _is_said(fact, lines):
            continue
        if weigh("\n".join(map(line, [*given, fact]))) > room:
            continue
        given.append(fact)
        if len(given) == k:
            break
    return given


def lessons(memory: MemoryManager, question: MessageRecord) -> list[LessonRecord]:
    """The lessons of the earlier work most like this message, each within its tokens."""
    longest = memory.options.lesson_tokens * _CHARACTERS_A_TOKEN
    return [replace(one, lesson=_cut(one.lesson, longest)) for one in memory.recall_lessons(question.content)]


def lesson_line(lesson: LessonRecord) -> str:
    """A lesson as the model reads it: never how it went, only what it taught."""
    return f"- {'' if lesson.success else 'Warning, from work that failed: '}{lesson.lesson}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 2].rsplit(" ", 1)[0] + " …"


def touch(memory: MemoryManager, fact_ids: Sequence[int]) -> None:
    """Notes that these facts were recalled, so that they stay fresh."""
    memory.touch_facts(fact_ids)


def line(fact: FactRecord) -> str:
    """A fact as the model reads it; the person's own sentence stands in quotation marks."""
    text = f"The person: “{fact.text}”" if speaks_of_oneself(fact.text) else fact.text
    return f"- {text} (told {timezone.localtime(fact.told_at):%Y-%m-%d})"


def as_json(fact: FactRecord) -> dict[str, Any]:
    """A recalled fact with the parts of its score, as the turn keeps it."""
    assert fact.score is not None
    return {
        "id": fact.id,
        "text": fact.text,
        "kind": fact.kind,
        "score": round(fact.score.total, 3),
        "relevance": round(fact.score.relevance, 3),
        "recency": round(fact.score.recency, 3),
        "importance": round(fact.score.importance, 3),
    }


def _stands_in(fact: FactRecord, folded: Sequence[str]) -> bool:
    """Whether the fact or the words it rests on stand in one of the texts."""
    spans = [_folded(fact.text), _folded(fact.quote)]
    return any(span in text for span in spans if len(span) >= _SHORTEST_QUOTE for text in folded)


def _is_said(fact: FactRecord, lines: Sequence[frozenset[str]]) -> bool:
    """Whether one of the lines has all words that carry the fact."""
    carrying = content_words(fact.text)
    return bool(carrying) and any(carrying <= words for words in lines)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?")
