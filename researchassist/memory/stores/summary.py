"""SUMMARY_MEMORY: condensed text by id and by meaning (R8, R9)."""

import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q

from researchassist.errors import UnknownSummary
from researchassist.memory.embedding import Embedder
from researchassist.memory.models import SummaryMemory
from researchassist.memory.readings import SUMMARY, Item, Reading
from researchassist.memory.records import MessageRecord, SummaryRecord
from researchassist.memory.text import storable
from researchassist.memory.vectors import Vector

from . import conversational
from .branches import standing
from .vector_store import VectorStore


class SummaryStore:
    """Summaries, and the messages each one covers."""

    def __init__(self) -> None:
        self.store = VectorStore(SummaryMemory)

    def write(
        self,
        *,
        full_content: str,
        summary: str,
        description: str,
        thread_id: str | None,
        messages: Sequence[MessageRecord],
        embedder: Embedder,
    ) -> SummaryRecord | None:
        """Keeps a summary and marks exactly `messages` with its id, in one transaction.

        None, and nothing kept, where one of them has been condensed or superseded meanwhile.
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
        self.store.embed([row], embedder)
        with transaction.atomic():
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

    def read(self, vector: Vector | None, k: int, thread_id: str) -> Reading[SummaryRecord]:
        """At most `k` summaries: this thread's nearest to the query first, then other threads'.

        Those of superseded messages are not among them.
        """
        if vector is None:
            hits = []
        else:
            hits = self.store.search(vector, k, Q(thread_id=thread_id) & standing())
            if len(hits) < k:
                elsewhere = ~Q(thread_id=thread_id) | Q(thread_id=None)
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
