"""SUMMARY_MEMORY: condensed text by id and by meaning (R8, R9)."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from researchassist.errors import UnknownSummary
from researchassist.memory.embedding import Embedder
from researchassist.memory.models import Privacy, SummaryMemory
from researchassist.memory.readings import SUMMARY, Item, Reading
from researchassist.memory.records import MessageRecord, RunningSummary, SummaryRecord
from researchassist.memory.text import storable
from researchassist.memory.vectors import Vector

from . import conversational
from .branches import standing
from .vector_store import VectorStore

# Where an eviction's record keeps the running summary, in its metadata.
_RUNNING = "running_summary"


class SummaryStore:
    """Summaries, and the messages each one covers."""

    def __init__(self) -> None:
        self.store = VectorStore(SummaryMemory)

    def write(  # noqa: PLR0913  (the fields of one record)
        self,
        *,
        full_content: str,
        summary: str,
        description: str,
        thread_id: str | None,
        messages: Sequence[MessageRecord],
        embedder: Embedder,
        running: RunningSummary | None = None,
    ) -> SummaryRecord | None:
        """Keeps a summary and marks exactly `messages` with its id, in one transaction.

        With `running` it is that of an eviction, and the thread's running summary after it is kept with
        it. None, and nothing kept, where one of the messages has been condensed or superseded meanwhile,
        or another eviction came first.
        """
        description = " ".join(storable(description).split())
        row = SummaryMemory(
            text=f"{description}\n{storable(summary)}",
            summary_id=secrets.token_hex(4),
            summary=storable(summary),
            description=description[:300],
            full_content=storable(full_content),
            thread_id=thread_id,
            metadata={"messages": [int(message.id) for message in messages]} if messages else {},
        )
        if running is not None:
            row.metadata[_RUNNING] = asdict(running)
        self.store.embed([row], embedder)
        with transaction.atomic():
            if running is not None and running.number != _evictions(thread_id).count() + 1:
                return None
            while SummaryMemory.objects.filter(summary_id=row.summary_id).exists():
                row.summary_id = secrets.token_hex(4)
            self.store.save([row])
            if not conversational.mark(messages, row.summary_id):
                transaction.set_rollback(True)
                return None
        return _record(row)

    def get(self, summary_id: str) -> SummaryRecord:
        """The summary with this id; raises UnknownSummary."""
        row = SummaryMemory.objects.filter(summary_id=summary_id.strip().lower()).first()
        if row is None:
            raise UnknownSummary(f"There is no summary {summary_id!r}.")
        return _record(row)

    def of_thread(self, thread_id: str) -> list[SummaryRecord]:
        """A thread's summaries, oldest first; those of superseded messages are not among them."""
        rows = SummaryMemory.objects.filter(standing(), thread_id=thread_id)
        return [_record(row) for row in rows.order_by("timestamp", "pk")]

    def running(self, thread_id: str) -> list[RunningSummary]:
        """A thread's running summary after each eviction, oldest first; the last is how it is now."""
        rows = _evictions(thread_id).order_by("pk").values_list("metadata", flat=True)
        return [_running(kept[_RUNNING]) for kept in rows]

    def newest_running(self, thread_id: str) -> RunningSummary | None:
        """A thread's running summary; None where nothing was evicted."""
        kept = _evictions(thread_id).order_by("-pk").values_list("metadata", flat=True).first()
        return _running(kept[_RUNNING]) if kept else None

    def read(self, vector: Vector | None, k: int, thread_id: str) -> Reading[SummaryRecord]:
        """At most `k` summaries: this thread's nearest to the query first, then other threads'.

        Those of superseded messages and of other private threads are not among them.
        """
        if vector is None:
            hits = []
        else:
            hits = self.store.search(vector, k, Q(thread_id=thread_id) & standing())
            if len(hits) < k:
                elsewhere = ~Q(thread_id=thread_id) & Q(thread__privacy=Privacy.OPEN) | Q(thread_id=None)
                hits += self.store.search(vector, k - len(hits), elsewhere & standing())
        records = tuple(_record(row, score) for row, score in hits)
        return Reading(
            kind=SUMMARY,
            records=records,
            items=tuple(Item(reference(record, thread_id)) for record in records),
            empty="No summaries yet.",
        )


def latest_label(thread_id: str) -> str:
    """The label of a thread's latest summary, "" where it has none."""
    rows = SummaryMemory.objects.filter(thread_id=thread_id).order_by("timestamp", "pk")
    return rows.values_list("description", flat=True).last() or ""


def _evictions(thread_id: str | None) -> QuerySet[SummaryMemory]:
    """Evictions that are part of the conversation as it is: none of their messages is superseded."""
    rows = SummaryMemory.objects.filter(thread_id=thread_id, metadata__has_key=_RUNNING)
    return rows.filter(standing())


def _running(kept: Mapping[str, Any]) -> RunningSummary:
    lists = {name: tuple(kept[name]) for name in ("person", "others")}
    return RunningSummary(**{**kept, **lists})


def reference(record: SummaryRecord, thread_id: str) -> str:
    """The pointer by which the model finds a summary."""
    elsewhere = "" if record.thread_id == thread_id else " (from another conversation)"
    return f"[Summary ID: {record.id}] {record.description}{elsewhere}"


def _record(row: SummaryMemory, score: float = 0.0) -> SummaryRecord:
    return SummaryRecord(
        id=row.summary_id,
        summary=row.summary,
        description=row.description,
        full_content=row.full_content,
        thread_id=row.thread_id,
        timestamp=row.timestamp,
        score=score,
    )
