"""What the store of facts takes and gives: frozen records of plain values; times are aware UTC."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .scoring import Score

Json = dict[str, Any]

SUBJECT_PERSON = "user"
SUBJECT_WORK = "work"

# What a fact is about, broad on purpose: what contradicts each other must meet under one of them, since
# only facts of one subject and attribute may replace each other.
ATTRIBUTES: Mapping[str, str] = {
    "identity": "name, age, origin, languages spoken",
    "home": "where they live, work from or travel from, and where that is found",
    "job": "employer, role, duties, projects they lead or belong to",
    "education": "studies, degrees, thesis",
    "people": "family, friends, colleagues, pets",
    "health": "illness, allergies, sleep, what they must not do",
    "diet": "all that they eat or drink, like to, or do not",
    "tools": "programming languages, software, hardware, where files are kept",
    "style": "how answers, texts, code or citations should be",
    "research": "topics, methods, opinions, what they read",
    "decision": "what they decided or chose for their work",
    "plan": "plans, deadlines, appointments, journeys",
    "event": "what happened to them or what they did",
    "taste": "hobbies, likes and dislikes other than food",
    "belongings": "what they own, numbers and codes of their things",
    "lesson": "what was learned about the work, not about them",
    "other": "none of these",
}


@dataclass(frozen=True, kw_only=True)
class FactDraft:
    """A fact that may be kept. `quote` is what it rests on, `sources` what it was drawn from: "fact 12",
    "episode 3"."""

    text: str
    kind: str = "semantic"
    importance: int = 5
    subject: str = SUBJECT_PERSON
    attribute: str = "other"
    quote: str = ""
    message_id: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class FactStep:
    """One operation to do: ADD the draft, UPDATE or DELETE a fact, or NOOP."""

    operation: str
    fact_id: int | None = None
    text: str = ""


@dataclass(frozen=True)
class FactDecision:
    """What is to be done about one draft. Removals are done only together with the ADD."""

    draft: FactDraft
    steps: tuple[FactStep, ...] = (FactStep("ADD"),)


@dataclass(frozen=True)
class FactOutcome:
    """What became of a draft: "added", "updated", "known", or "refused" with the reason."""

    status: str
    draft: FactDraft
    batch: str = ""
    fact_id: int | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class FactRecord:
    """One fact. `id` is the number the person knows it by; `thread_id` is where its message stands."""

    id: int
    text: str
    kind: str
    importance: int
    subject: str
    attribute: str
    quote: str
    state: str
    told_at: datetime
    last_accessed: datetime
    uses: int
    message_id: str | None = None
    thread_id: str | None = None
    sources: tuple[str, ...] = ()
    promoted: bool = False
    score: Score | None = None


@dataclass(frozen=True, kw_only=True)
class LessonRecord:
    """One episode. `lesson` is what is recalled of it; `meta` says what kind of task it was."""

    id: int
    task: str
    outcome: str
    lesson: str
    meta: Mapping[str, Any]
    success: bool
    state: str
    timestamp: datetime
    promoted_to: int | None = None
    score: float = 0.0


@dataclass(frozen=True, kw_only=True)
class FactChangeRecord:
    """One operation of the history. `undoable` is false where it changed nothing or was undone."""

    id: int
    batch: str
    operation: str
    by: str
    candidate: str
    fact_id: int | None
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reason: str
    turn_id: str | None
    at: datetime
    undone_at: datetime | None
    undo_of: int | None = None
    undoable: bool = field(default=False)
