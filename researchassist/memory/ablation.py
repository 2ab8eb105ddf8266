"""What each signal of the recall is worth: the same questions with one of them taken away.

Pure: plays `fixtures/memory/facts_and_questions.json` (or a file like it) with the scoring that facts
are recalled by, on vectors that it is handed. Touches no table.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from researchassist.errors import UnreadableFile

from .scoring import DECAY_RATE, EPISODIC, Weights, best, scores
from .vectors import Vector

_HOURS_A_DAY = 24.0


class PlayFact(BaseModel):
    """A fact, the day it was told, and the day it was last recalled before the play."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    text: str
    kind: str
    importance: int
    told: float
    used: float | None = None


class PlayQuestion(BaseModel):
    """A question, the day it is asked, and the fact that should come first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    day: float
    text: str
    expected: str
    decides: str


class Play(BaseModel):
    """Facts and questions; see the file's own words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: list[str]
    facts: list[PlayFact]
    questions: list[PlayQuestion]


@dataclass(frozen=True)
class Variant:
    """A way to recall: which signals count, and what is kept and touched."""

    name: str
    weights: Weights
    fades_all: bool = False
    touches: bool = True
    keeps_new: bool = True


@dataclass(frozen=True)
class Row:
    """How a variant did: the mean of 1 / rank of the expected fact, how often it was first and found."""

    name: str
    reciprocal_rank: float
    first: int
    found: int
    ranks: tuple[int, ...]


def read_play(path: Path) -> Play:
    """The facts and questions of a file; raises UnreadableFile."""
    try:
        return Play.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise UnreadableFile(f"{path} does not hold facts and questions: {error}") from error


def variants(weights: Weights) -> tuple[Variant, ...]:
    """The whole score, then the score with one thing taken away at a time."""
    return (
        Variant("full score", weights),
        Variant("relevance only", replace(weights, recency=0.0, importance=0.0)),
        Variant("no recency", replace(weights, recency=0.0)),
        Variant("no importance", replace(weights, importance=0.0)),
        Variant("no write-back", weights, touches=False, keeps_new=False),
        Variant("no touch", weights, touches=False),
        Variant("flat decay", weights, fades_all=True),
    )


def play(
    content: Play,
    variant: Variant,
    *,
    facts: Vector,
    questions: Vector,
    k: int,
    decay_rate: float = DECAY_RATE,
) -> Row:
    """Asks the questions in order. `facts` (n, d) and `questions` (m, d) are unit vectors of the texts."""
    told = np.array([fact.told for fact in content.facts])
    last = told.copy()
    if variant.touches:
        last = np.array([fact.told if fact.used is None else fact.used for fact in content.facts])
    fading = np.array([variant.fades_all or fact.kind == EPISODIC for fact in content.facts])
    importance = np.array([float(fact.importance) for fact in content.facts])
    ids = np.arange(len(content.facts))
    ranks = []
    for question, vector in zip(content.questions, questions, strict=True):
        there = (told < question.day) & (told < 0 if not variant.keeps_new else True)
        total, *_ = scores(
            relevance=(facts @ vector).astype(np.float64),
            hours=(question.day - last) * _HOURS_A_DAY,
            importance=importance,
            fading=fading,
            weights=variant.weights,
            decay_rate=decay_rate,
        )
        recalled = best(np.where(there, total, -np.inf), ids, k)
        ranks.append(_rank(content, question, [place for place in recalled if there[place]]))
        if variant.touches:
            last[recalled] = question.day
    return _row(variant.name, ranks)


def _rank(content: Play, question: PlayQuestion, recalled: Sequence[int]) -> int:
    """The place of the expected fact, from 1; 0 where it is not among those recalled."""
    ids = [content.facts[place].id for place in recalled]
    return ids.index(question.expected) + 1 if question.expected in ids else 0


def _row(name: str, ranks: Sequence[int]) -> Row:
    reciprocal: npt.NDArray[np.float64] = np.array([1 / rank if rank else 0.0 for rank in ranks])
    return Row(
        name,
        float(reciprocal.mean()) if ranks else 0.0,
        sum(rank == 1 for rank in ranks),
        sum(rank > 0 for rank in ranks),
        tuple(ranks),
    )
