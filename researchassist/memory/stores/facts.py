"""FACT: reading what is known of the person, and ranking it by relevance, recency and importance.

How facts come to be and change is fact_changes.py's; scoring is memory/scoring.py's.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from django.db.models import F, Q, QuerySet

from researchassist.errors import UnknownFact
from researchassist.memory.fact_records import FactRecord
from researchassist.memory.models import Fact, FactKind, FactState
from researchassist.memory.scoring import DECAY_RATE, Score, Weights, scores
from researchassist.memory.vectors import Ids, Scores, Vector

from .vector_store import VectorStore

_SECONDS_AN_HOUR = 3600.0
_FIRST_WINDOW = 256


class FactStore:
    """Facts by user. Only active ones are found by meaning; the others are history."""

    def __init__(self) -> None:
        self.store = VectorStore(Fact)

    def all(self, user: str, states: Collection[str] = (FactState.ACTIVE,)) -> list[FactRecord]:
        """A user's facts in the order they were told."""
        rows = _readable().filter(user=user, state__in=list(states))
        return [record(row) for row in rows.order_by("timestamp", "pk")]

    def get(self, user: str, fact_id: int) -> FactRecord:
        """One fact of a user, whatever its state; raises UnknownFact."""
        row = _readable().filter(user=user, pk=fact_id).first()
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

        Exact, though only as many rows are read as can matter. Touches nothing. Nobody's facts for an
        empty `user`.
        """
        if vector is None or not user:
            return []
        ids, cosines = self.store.cosines(vector)
        order = np.argsort(-cosines, kind="stable")
        found: list[tuple[float, int, Score]] = []
        for start, end in _windows(len(order)):
            near = order[start:end]
            found += _scored(user, ids[near], cosines[near], now, weights, decay_rate)
            found.sort(key=lambda one: (-one[0], one[1]))
            # What is left is less relevant than all so far, and neither fresher nor weightier than can be.
            left = float(cosines[order[end]]) if end < len(order) else 0.0
            bound = weights.relevance * max(left, 0.0) + weights.recency + weights.importance
            if len(found) >= k and bound < found[k - 1][0]:
                break
        rows = _readable().in_bulk([fact_id for _, fact_id, _ in found[:k]])
        return [
            replace(record(rows[fact_id]), score=score) for _, fact_id, score in found[:k] if fact_id in rows
        ]

    def promote(self, user: str, fact_ids: Sequence[int], fact_id: int) -> None:
        """Notes that `fact_id` was drawn from these."""
        Fact.objects.filter(user=user, pk__in=list(fact_ids)).update(promoted_to=fact_id)

    def touch(self, fact_ids: Sequence[int], now: datetime) -> None:
        """Notes that these were recalled: what is used stays fresh."""
        Fact.objects.filter(pk__in=list(fact_ids)).update(last_accessed=now, uses=F("uses") + 1)


def _readable() -> QuerySet[Fact]:
    """Facts with where their messages stand, without what only a search needs."""
    facts = Fact.objects.select_related("message")
    return facts.defer("embedding", "metadata", "key", "message__content", "message__metadata")


def _windows(count: int) -> Iterator[tuple[int, int]]:
    """Ever larger parts of `count` places: mostly the first few decide, and reading rows is what costs."""
    start, size = 0, _FIRST_WINDOW
    while start < count:
        yield start, min(start + size, count)
        start, size = start + size, size * 4


def _scored(
    user: str, ids: Ids, cosines: Scores, now: datetime, weights: Weights, decay_rate: float
) -> list[tuple[float, int, Score]]:
    """Total, id and score of those of these facts that are active and the user's."""
    active = Fact.objects.filter(user=user, state=FactState.ACTIVE, pk__in=ids.tolist())
    rows = list(active.values_list("pk", "importance", "kind", "last_accessed"))
    cosine_of = dict(zip(ids.tolist(), cosines.tolist(), strict=True))
    parts = scores(
        relevance=np.array([cosine_of[row[0]] for row in rows], dtype=np.float64),
        hours=np.array([(now - row[3]).total_seconds() / _SECONDS_AN_HOUR for row in rows]),
        importance=np.array([row[1] for row in rows], dtype=np.float64),
        fading=np.array([row[2] == FactKind.EPISODIC for row in rows], dtype=bool),
        weights=weights,
        decay_rate=decay_rate,
    )
    columns = zip(rows, *(part.tolist() for part in parts), strict=True)
    return [(one[0], row[0], Score(*one)) for row, *one in columns]


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
        promoted=row.promoted_to_id is not None,
    )
