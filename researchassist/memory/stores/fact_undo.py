"""FACT: the history of every operation, and taking operations back, newest first or one by name.

An undoing is itself an operation of the history; nothing is ever taken out of it.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet

from researchassist.errors import MemoryRefused
from researchassist.memory import clock
from researchassist.memory.embedding import Embedder
from researchassist.memory.fact_records import FactChangeRecord
from researchassist.memory.models import ConversationalMemory, Fact, FactChange, FactOperation, FactState

from .fact_changes import snapshot
from .vector_store import VectorStore

_NEVER = (FactOperation.NOOP, FactOperation.UNDO)
CHANGED_SINCE = "This was changed again since; undo that first."
TAKEN = "The same is remembered as fact {}; forget that first."
NOTHING = "There is nothing to undo."


@dataclass(frozen=True)
class Undoing:
    """By whom and why changes are taken back, and what becomes of a fact that was not there before."""

    by: str
    reason: str = ""
    added: str = FactState.FORGOTTEN


BY_THE_PERSON = Undoing("person")


def undoable(user: str) -> QuerySet[FactChange]:
    """The changes that can be taken back, oldest first."""
    rows = FactChange.objects.filter(user=user, undone_at__isnull=True)
    return rows.exclude(operation__in=_NEVER).order_by("pk")


def latest(user: str) -> FactChangeRecord | None:
    """The newest change that can be taken back."""
    row = undoable(user).last()
    return record(row) if row else None


def of_turns(user: str, turn_ids: Collection[str]) -> list[FactChangeRecord]:
    """What was changed after these turns' answers and was not taken back, in order."""
    return [record(row) for row in undoable(user).filter(turn_id__in=list(turn_ids))]


def of_fact(user: str, fact_id: int) -> list[FactChangeRecord]:
    """All that was ever done to a fact, oldest first, with the changes made in the same step."""
    own = FactChange.objects.filter(user=user, fact_id=fact_id)
    batches = own.exclude(operation=FactOperation.NOOP).values("batch")
    rows = FactChange.objects.filter(user=user).filter(Q(fact_id=fact_id) | Q(batch__in=batches))
    return [record(row) for row in rows.order_by("pk")]


def all_of(user: str) -> list[FactChangeRecord]:
    """The whole history, oldest first."""
    return [record(row) for row in FactChange.objects.filter(user=user).order_by("pk")]


def undo(
    user: str, batches: Sequence[str], *, store: VectorStore[Fact], embedder: Embedder
) -> list[FactChangeRecord]:
    """Takes back all changes of these batches, newest first, in one step.

    What was added is then forgotten: it leaves a tombstone. Gives the undoings. Raises MemoryRefused,
    changing nothing, where there is nothing to undo or something was built on it since.
    """
    restored = texts_before(user, batches)
    store.embed(list(restored.values()), embedder)
    with transaction.atomic():
        changes = list(undoable(user).filter(batch__in=list(batches)).order_by("-pk"))
        if not changes:
            raise MemoryRefused(NOTHING)
        batch = uuid.uuid4().hex
        return [undo_one(change, batch, restored.get(change.pk), store) for change in changes]


def texts_before(user: str, batches: Sequence[str]) -> dict[int, Fact]:
    """The texts that come back, by change, as unsaved rows to be embedded."""
    rows = undoable(user).filter(batch__in=list(batches), operation=FactOperation.UPDATE)
    return {row.pk: Fact(text=row.before["text"]) for row in rows}


def undo_one(
    change: FactChange,
    batch: str,
    text_before: Fact | None,
    store: VectorStore[Fact],
    how: Undoing = BY_THE_PERSON,
) -> FactChangeRecord:
    """Puts one fact back as it was before a change; raises MemoryRefused."""
    assert change.fact_id is not None
    row = Fact.objects.get(pk=change.fact_id)
    if undoable(change.user).filter(fact=row, pk__gt=change.pk).exists():
        raise MemoryRefused(CHANGED_SINCE)
    now = snapshot(row)
    if change.operation == FactOperation.ADD:
        row.state = how.added
    else:
        put_back(row, change)
    put_text(row, text_before, store)
    change.undone_at = clock.now()
    change.save(update_fields=["undone_at"])
    undone = FactChange.objects.create(
        user=change.user,
        batch=batch,
        operation=FactOperation.UNDO,
        by=how.by,
        reason=how.reason,
        candidate=change.candidate,
        fact=row,
        before=now,
        after=snapshot(row),
        turn_id=change.turn_id,
        at=change.undone_at,
        undo_of=change,
    )
    return record(undone)


def put_back(row: Fact, change: FactChange) -> None:
    """Gives a fact, unsaved, its fields of before the change; raises MemoryRefused where the same is
    remembered under another number."""
    before = change.before
    same = Fact.objects.filter(user=row.user, key=before["key"], state=FactState.ACTIVE).exclude(pk=row.pk)
    if before["state"] == FactState.ACTIVE and (other := same.first()) is not None:
        raise MemoryRefused(TAKEN.format(other.pk))
    for name, value in before.items():
        setattr(row, name, value)
    # The conversation it was told in may have been deleted since.
    if row.message_id and not ConversationalMemory.objects.filter(pk=row.message_id).exists():
        row.message_id = None


def put_text(row: Fact, text: Fact | None, store: VectorStore[Fact]) -> None:
    """Saves a fact, with the vector of `text` where it has a text of its own again."""
    if text is None:
        row.save()
        return
    row.embedding, row.embedding_model = text.embedding, text.embedding_model
    row.content_hash = text.content_hash
    store.save([row])


def record(row: FactChange) -> FactChangeRecord:
    """The change as a plain value."""
    return FactChangeRecord(
        id=row.pk,
        batch=row.batch,
        operation=row.operation,
        by=row.by,
        candidate=row.candidate,
        fact_id=row.fact_id,
        before=row.before,
        after=row.after,
        reason=row.reason,
        turn_id=row.turn_id,
        at=row.at,
        undone_at=row.undone_at,
        undo_of=row.undo_of_id,
        undoable=row.undone_at is None and row.operation not in _NEVER,
    )
