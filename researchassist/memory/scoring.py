"""How much a fact is worth recalling now: relevance, recency and importance in one number.

Pure functions; numbers from seed 001 (the memory stream of "Generative Agents", 2023). Each component
is between 0 and 1 before it is weighed. Knows no table: `scores` takes columns, one value a fact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from .vectors import Vector

Column = npt.NDArray[np.float64]

# What is left of an episode's recency after an hour without being used.
DECAY_RATE = 0.995
MOST_IMPORTANT = 10
EPISODIC = "episodic"
_SECONDS_AN_HOUR = 3600.0


@dataclass(frozen=True)
class Weights:
    """How much each component counts. Equal ones are the paper's; the product's are options."""

    relevance: float = 1.0
    recency: float = 1.0
    importance: float = 1.0


@dataclass(frozen=True)
class Score:
    """The score of one fact and the three components it is made of, before weighing."""

    total: float
    relevance: float
    recency: float
    importance: float


def recency_score(now: datetime, last_accessed: datetime, decay_rate: float = DECAY_RATE) -> float:
    """`decay_rate` to the power of the hours since a fact was last used: 1.0 at once, then towards 0.

    Both times are aware. One that lies ahead, after the clock was set back, counts as now.
    """
    hours = (now - last_accessed).total_seconds() / _SECONDS_AN_HOUR
    return float(decay_rate ** max(hours, 0.0))


def importance_score(importance: float) -> float:
    """The rating of 1 to 10 that a fact was given when it was written, as a share of 10."""
    return min(max(float(importance), 0.0), MOST_IMPORTANT) / MOST_IMPORTANT


def relevance_score(query: Vector, fact: Vector) -> float:
    """The cosine of two unit vectors (d,); opposite directions count as 0."""
    return min(max(float(np.dot(query.astype(np.float64), fact.astype(np.float64))), 0.0), 1.0)


def retrieval_score(relevance: float, recency: float, importance: float, weights: Weights) -> float:
    """The weighted sum of the three components."""
    return weights.relevance * relevance + weights.recency * recency + weights.importance * importance


def scores(
    *,
    relevance: Column,
    hours: Column,
    importance: Column,
    fading: npt.NDArray[np.bool_],
    weights: Weights,
    decay_rate: float = DECAY_RATE,
) -> tuple[Column, Column, Column, Column]:
    """`retrieval_score` of many facts at once: totals, relevance, recency, importance, each (n,).

    `relevance` are cosines, `hours` the time since last use, `importance` ratings of 1 to 10. Only
    facts that are `fading` (episodes) lose recency: a preference of two years ago is one of today.
    """
    relevant = np.clip(relevance, 0.0, 1.0)
    recent = np.where(fading, decay_rate ** np.maximum(hours, 0.0), 1.0)
    important = np.clip(importance, 0.0, MOST_IMPORTANT) / MOST_IMPORTANT
    total = weights.relevance * relevant + weights.recency * recent + weights.importance * important
    return total, relevant, recent, important


def best(totals: Column, ids: npt.NDArray[np.int64], k: int) -> Sequence[int]:
    """The places of the `k` highest totals, best first; ties go to the lower id."""
    order: Sequence[int] = np.lexsort((ids, -totals))[:k].tolist()
    return order
