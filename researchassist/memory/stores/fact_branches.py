"""FACT: what was remembered of a question goes with it when it is asked anew, and comes back with it.

Owns only that; each step is an operation of the history as any undoing is (fact_undo.py), but leaves no
tombstone: the question that took its place may say the same.
"""

import uuid
from collections.abc import Mapping

from django.db import transaction

from researchassist.errors import MemoryRefused
from researchassist.memory import clock
from researchassist.memory.embedding import Embedder
from researchassist.memory.models import Fact, FactChange, FactOperation, FactState

from .fact_changes import KNOWN, is_forgotten, snapshot
from .fact_undo import CHANGED_SINCE, Undoing, put_back, put_text, texts_before, undo_one, undoable
from .vector_store import VectorStore

BY = "branch"
LEFT = "Its message was asked anew."
BACK = "Its message is part of the conversation again."
_WITH_ITS_MESSAGE = Undoing(BY, LEFT, FactState.REPLACED)
_SAID_ELSEWHERE = "Another message says the same."


def settle(user: str, *, store: VectorStore[Fact], embedder: Embedder) -> int:
    """Takes back what was remembered of superseded questions, and brings back what was taken back so and
    is part of a conversation again; says how many steps that took. Does nothing the second time.

    What was built on since, or said in another message too, stays as it is.
    """
    left = undoable(user).filter(turn__question__superseded_at__isnull=False)
    batches = list(dict.fromkeys(left.order_by("-pk").values_list("batch", flat=True)))
    taken = FactChange.objects.filter(
        user=user, by=BY, reason=LEFT, undone_at=None, turn__question__superseded_at=None
    ).exclude(turn=None)
    back = list(dict.fromkeys(taken.order_by("pk").values_list("batch", flat=True)))
    before = texts_before(user, batches)
    texts = {row.pk: Fact(text=row.before["text"]) for row in taken if row.before != row.after}
    store.embed([*before.values(), *texts.values()], embedder)
    done = [_take_back(user, batch, before, store) for batch in batches]
    done += [_bring_back(batch, texts, store) for batch in back]
    return sum(done)


def _take_back(user: str, batch: str, before: Mapping[int, Fact], store: VectorStore[Fact]) -> bool:
    """Undoes all changes of one batch, or none of them."""
    new = uuid.uuid4().hex
    try:
        with transaction.atomic():
            for change in undoable(user).filter(batch=batch).order_by("-pk"):
                _refuse_said_elsewhere(change)
                undo_one(change, new, before.get(change.pk), store, _WITH_ITS_MESSAGE)
    except MemoryRefused:
        return False
    return True


def _refuse_said_elsewhere(change: FactChange) -> None:
    """Raises MemoryRefused where another message, that stands, says what was added."""
    assert change.fact_id is not None
    repeats = FactChange.objects.filter(
        fact_id=change.fact_id,
        operation=FactOperation.NOOP,
        reason=KNOWN,
        turn__question__superseded_at=None,
    ).exclude(turn=None)
    if change.operation == FactOperation.ADD and repeats.exists():
        raise MemoryRefused(_SAID_ELSEWHERE)


def _bring_back(batch: str, texts: Mapping[int, Fact], store: VectorStore[Fact]) -> bool:
    """Does again what one batch of undoings took back, or nothing."""
    new = uuid.uuid4().hex
    try:
        with transaction.atomic():
            for undoing in FactChange.objects.filter(batch=batch, undone_at=None).order_by("-pk"):
                _redo(undoing, new, texts.get(undoing.pk), store)
    except MemoryRefused:
        return False
    return True


def _redo(undoing: FactChange, batch: str, text: Fact | None, store: VectorStore[Fact]) -> None:
    """Puts one fact as it was before it was taken back; raises MemoryRefused."""
    assert undoing.fact_id is not None
    assert undoing.undo_of_id is not None
    row = Fact.objects.get(pk=undoing.fact_id)
    if undoable(undoing.user).filter(fact=row, pk__gt=undoing.pk).exists():
        raise MemoryRefused(CHANGED_SINCE)
    now = snapshot(row)
    put_back(row, undoing)
    if row.state == FactState.ACTIVE and is_forgotten(row):
        raise MemoryRefused(CHANGED_SINCE)
    put_text(row, text if row.text != now["text"] else None, store)
    undoing.undone_at = clock.now()
    undoing.save(update_fields=["undone_at"])
    FactChange.objects.filter(pk=undoing.undo_of_id).update(undone_at=None)
    FactChange.objects.create(
        user=undoing.user,
        batch=batch,
        operation=FactOperation.UNDO,
        by=BY,
        candidate=undoing.candidate,
        fact=row,
        before=now,
        after=snapshot(row),
        reason=BACK,
        turn_id=undoing.turn_id,
        at=undoing.undone_at,
        undo_of=undoing,
    )
