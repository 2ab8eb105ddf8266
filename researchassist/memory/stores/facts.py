"""FACT: reading what is known of the person, and ranking it by relevance, recency and importance.

How facts come to be and change is fact_changes.py's; scoring is memory/scoring.py's.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt
from django.db.models import F, Q

from researchassist.errors import UnknownFact
from researchassist.memory.fact_records import FactRecord
from researchassist.memory.models import Fact, FactKind, FactState
from researchassist.memory.scoring import DECAY_RATE, Column, Score, Weights, best, scores
from researchassist.memory.vectors import Ids, Scores, Vector

from .vector_store import VectorStore

_SECONDS_AN_HOUR = 3600.0


class FactStore:
    """Facts by user. Only active ones are found by meaning; the others are history."""

    def __init__(self) -> None:
        self.store = VectorStore(Fact)

    def all(self, user: str, states: Collection[str] = (FactState.ACTIVE,)) -> list[FactRecord]:
        """A user's facts in the order they were told."""
        rows = Fact.objects.select_related("message").filter(user=user, state__in=list(states))
        return [record(row) for row in rows.order_by("timestamp", "pk")]

    def get(self, user: str, fact_id: int) -> FactRecord:
        """One fact of a user, whatever its state; raises UnknownFact."""
        row = Fact.objects.select_related("message").filter(user=user, pk=fact_id).first()
        if row is None:
            raise UnknownFact(f"There is no fact {fact_id}.")
        return record(row)

    def nearest(
        self, vector: Vector | None, user: str, k: int, *, subject: str = "", attribute: str = ""
    ) -> list[FactRecord]:
        """The `k` active facts nearest in meaning, best first; of a subject and attribute where given."""
        if vector is None:
            return []
        where = Q(user=user, state=FactState.ACTIVE)
        where &= Q(subject=subject) if subject else Q()
        where &= Q(attribute=attribute) if attribute else Q()
        return [
            replace(record(row), score=Score(cosine, cosine, 0.0, 0.0))
            for row, cosine in self.store.search(vector, k, where)
        ]

    def recall(
        self,
        vector: Vector | None,
        user: str,
        *,
        now: datetime,
        k: int,
        weights: Weights,
        decay_rate: float = DECAY_RATE,
    ) -> list[FactRecord]:
        """The `k` active facts most worth recalling at `now`, best first, each with its score.

        Touches nothing. Nobody's facts for an empty `user`.
        """
        if vector is None or not user:
            return []
        in_matrix, cosines = self.store.cosines(vector)
        facts = _columns(user, in_matrix, cosines)
        total, relevance, recency, importance = scores(
            relevance=facts.cosines,
            hours=np.array([(now - last).total_seconds() / _SECONDS_AN_HOUR for last in facts.used]),
            importance=facts.importance,
            fading=facts.fading,
            weights=weights,
            decay_rate=decay_rate,
        )
        chosen = [(int(facts.ids[place]), place) for place in best(total, facts.ids, k)]
        rows = Fact.objects.select_related("message").in_bulk([fact_id for fact_id, _ in chosen])
        parts = np.stack([total, relevance, recency, importance], axis=1)
        return [
            replace(record(rows[fact_id]), score=Score(*map(float, parts[place])))
            for fact_id, place in chosen
            if fact_id in rows
        ]

    def touch(self, fact_ids: Sequence[int], now: datetime) -> None:
        """Notes that these were recalled: what is used stays fresh."""
        Fact.objects.filter(pk__in=list(fact_ids)).update(last_accessed=now, uses=F("uses") + 1)


@dataclass(frozen=True)
class _Columns:
    """What the ranking needs of each active fact, in one order."""

    ids: Ids
    cosines: Column
    importance: Column
    fading: npt.NDArray[np.bool_]
    used: Sequence[datetime]


def _columns(user: str, in_matrix: Ids, cosines: Scores) -> _Columns:
    """A user's active facts that this process' matrix holds; others wait for the next turn."""
    active = Fact.objects.filter(user=user, state=FactState.ACTIVE).order_by("pk")
    rows = list(active.values_list("pk", "importance", "kind", "last_accessed"))
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    ids, here, there = np.intersect1d(ids, in_matrix, assume_unique=True, return_indices=True)
    kept = [rows[place] for place in here]
    return _Columns(
        ids=ids,
        cosines=cosines[there].astype(np.float64),
        importance=np.array([row[1] for row in kept], dtype=np.float64),
        fading=np.array([row[2] == FactKind.EPISODIC for row in kept], dtype=bool),
        used=[row[3] for row in kept],
    )


def record(row: Fact) -> FactRecord:
    """The fact as a plain value."""
    return FactRecord(
        id=row.pk,
        text=row.text,
        kind=row.kind,
        importance=row.importance,
        subject=row.subject,
        attribute=row.attribute,
        quote=row.quote,
        state=row.state,
        told_at=row.timestamp,
        last_accessed=row.last_accessed,
        uses=row.uses,
        message_id=str(row.message_id) if row.message_id else None,
        thread_id=row.message.thread_id if row.message else None,
        sources=tuple(row.sources),
    )
