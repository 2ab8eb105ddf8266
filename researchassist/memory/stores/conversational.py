"""CONVERSATIONAL_MEMORY: exact, by thread, in order; never searched by similarity (D7).

Every read leaves superseded messages out (see branches.py), unless it says otherwise.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from researchassist.memory import clock
from researchassist.memory.models import ConversationalMemory, SummaryMemory, Thread
from researchassist.memory.readings import CONVERSATION, Item, Reading, message_line
from researchassist.memory.records import MessageRecord, ThreadRecord
from researchassist.memory.text import storable

from . import threads


def record(row: ConversationalMemory) -> MessageRecord:
    """The message as a plain value."""
    return MessageRecord(
        id=str(row.pk),
        thread_id=row.thread_id,
        role=row.role,
        content=row.content,
        timestamp=row.timestamp,
        metadata=row.metadata,
        summary_id=row.summary_id,
        parent_id=None if row.parent_id is None else str(row.parent_id),
        superseded_at=row.superseded_at,
    )


def write(
    *,
    content: str,
    role: str,
    thread_id: str,
    metadata: dict[str, object] | None = None,
    at: datetime | None = None,
) -> MessageRecord:
    """Adds a message at the end of a thread, which is made where it is new.

    Its time is now, or `at`, but later than every other of the thread: order by time is order of
    insertion, whatever the clock does. It follows the last one that is not superseded.
    """
    with transaction.atomic():
        thread = threads.ensure(thread_id)
        everything = ConversationalMemory.objects.filter(thread_id=thread_id).order_by("-timestamp")
        last = everything.values_list("timestamp", flat=True).first()
        row = ConversationalMemory.objects.create(
            thread=thread,
            role=role,
            content=storable(content),
            timestamp=clock.after(last, at),
            metadata=metadata or {},
            parent_id=_messages(thread_id).order_by("-timestamp").values_list("pk", flat=True).first(),
        )
        Thread.objects.filter(pk=thread.pk).update(updated_at=row.timestamp)
    return record(row)


def import_thread(
    thread_id: str,
    *,
    title: str,
    messages: Sequence[tuple[str, str, datetime]],
    sample: bool,
    speakers: Mapping[str, str],
) -> ThreadRecord:
    """A thread of (role, text, time), all or nothing; `speakers` are the names of the roles."""
    with transaction.atomic():
        threads.ensure(thread_id, title=title, sample=sample)
        for role, content, at in messages:
            named: dict[str, object] = {"speaker": speakers[role]} if role in speakers else {}
            write(content=content, role=role, thread_id=thread_id, at=at, metadata=named)
    return threads.record(threads.get(thread_id))


def _messages(thread_id: str) -> QuerySet[ConversationalMemory]:
    """Those of the conversation, its active branch."""
    return ConversationalMemory.objects.filter(thread_id=thread_id, superseded_at=None)


def unconsolidated(thread_id: str, *, before: MessageRecord | None = None) -> list[MessageRecord]:
    """Messages no summary covers yet, oldest first; only those before `before` where it is given."""
    rows = _messages(thread_id).filter(summary__isnull=True).order_by("timestamp")
    if before is not None:
        rows = rows.filter(timestamp__lt=before.timestamp)
    return [record(row) for row in rows]


def read(
    thread_id: str, limit: int, longest: int, before: MessageRecord | None = None
) -> Reading[MessageRecord]:
    """The latest `limit` unconsolidated messages, oldest first, as the conversation segment (R3).

    One of more than `longest` characters is given head and tail.
    """
    messages = unconsolidated(thread_id, before=before)
    shown = messages[-limit:]
    empty = (
        "No messages of this conversation outside the summaries."
        if _messages(thread_id).filter(summary__isnull=False).exists()
        else "No earlier messages: this conversation starts with the question above."
    )
    return Reading(
        kind=CONVERSATION,
        records=tuple(shown),
        items=tuple(Item(message_line(message, longest)) for message in shown),
        empty=empty,
    )


def hidden_count(
    thread_id: str, *, shown: Sequence[MessageRecord], listed: Sequence[str], before: MessageRecord
) -> int:
    """How many messages before `before` are neither among `shown` nor under a summary in `listed`."""
    rows = _messages(thread_id).filter(timestamp__lt=before.timestamp)
    covered = rows.filter(summary__summary_id__in=list(listed)).count()
    return rows.count() - covered - len(shown)


def all_of(thread_id: str) -> list[MessageRecord]:
    """Every message of a thread's active branch, oldest first."""
    return [record(row) for row in _messages(thread_id).order_by("timestamp")]


def last(thread_id: str) -> MessageRecord | None:
    """The last message of a thread's active branch."""
    row = _messages(thread_id).order_by("-timestamp").first()
    return record(row) if row else None


def answer_before(message: MessageRecord) -> MessageRecord | None:
    """The assistant's last message of the thread before this one."""
    rows = _messages(message.thread_id).filter(role="assistant", timestamp__lt=message.timestamp)
    row = rows.order_by("timestamp").last()
    return record(row) if row else None


def first_exchange(thread_id: str) -> tuple[str, str]:
    """The first question of a thread's active branch and what follows it, "" where that is none."""
    rows = list(_messages(thread_id).order_by("timestamp")[:2])
    question = rows[0].content if rows and rows[0].role == "user" else ""
    answer = rows[1].content if len(rows) == 2 and rows[1].role == "assistant" else ""
    return question, answer


def of_summary(summary_id: str) -> list[MessageRecord]:
    """The messages a summary was made from, oldest first (R9), also those it no longer stands for."""
    made = SummaryMemory.objects.filter(summary_id=summary_id).values_list("metadata", flat=True).first()
    rows = ConversationalMemory.objects.filter(pk__in=(made or {}).get("messages", ()))
    return [record(row) for row in rows.order_by("timestamp")]


def mark(messages: Sequence[MessageRecord], summary_id: str) -> bool:
    """Marks exactly these messages with a summary; False, and nothing marked, where one already was or
    is superseded."""
    ids = [int(message.id) for message in messages]
    with transaction.atomic():
        rows = ConversationalMemory.objects.filter(pk__in=ids, summary=None, superseded_at=None)
        if rows.count() != len(ids):
            return False
        rows.update(summary_id=summary_id)
    return True
