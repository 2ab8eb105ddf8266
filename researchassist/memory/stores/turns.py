"""Turns: opening, checkpointing and ending one run of the harness."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from researchassist.errors import TurnRefused, UnknownMessage, UnknownTurn
from researchassist.memory import clock
from researchassist.memory.models import Outcome, Turn
from researchassist.memory.records import MessageRecord, TurnRecord
from researchassist.memory.text import storable

from . import branches, conversational, threads

BUSY = "An answer is still being written in this conversation. Wait for it or stop it, then send this."

# A step that has not begun after this time will not: longer than all steps of a turn may take.
_ABANDONED = timedelta(minutes=30)


def record(row: Turn) -> TurnRecord:
    """The turn as a plain value."""
    return TurnRecord(
        id=row.pk,
        thread_id=row.thread_id,
        key=row.key,
        question=conversational.record(row.question),
        answer=conversational.record(row.answer) if row.answer else None,
        outcome=row.outcome,
        owner=row.owner,
        partial_text=row.partial_text,
        error=row.error,
        model=row.model,
        steps=tuple(row.steps),
        used=row.used,
        helpers=row.helpers,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def get(turn_id: str) -> TurnRecord:
    """One turn; raises UnknownTurn."""
    row = Turn.objects.select_related("question", "answer").filter(pk=turn_id).first()
    if row is None:
        raise UnknownTurn(f"There is no turn {turn_id!r}.")
    return record(row)


def by_key(key: str) -> TurnRecord | None:
    """The turn that the form with this key started, if it did."""
    row = Turn.objects.select_related("question", "answer").filter(key=key).first()
    return record(row) if row else None


def of_thread(thread_id: str) -> list[TurnRecord]:
    """The turns of a thread's active branch, oldest first; of those for one question only the latest."""
    rows = Turn.objects.select_related("question", "answer").filter(
        thread_id=thread_id, question__superseded_at=None
    )
    latest = {row.question_id: record(row) for row in rows.order_by("started_at", "pk")}
    return sorted(latest.values(), key=lambda turn: turn.question.timestamp)


def running() -> list[TurnRecord]:
    """All turns that have not ended, whichever process runs them."""
    rows = Turn.objects.select_related("question", "answer").filter(outcome=Outcome.RUNNING)
    return [record(row) for row in rows]


@dataclass(frozen=True)
class Place:
    """Where in its thread a question is asked: at the end, or in place of the message `edit_of`, which
    is then superseded with all that follows it. `branch` is the one the person's page shows, if known."""

    edit_of: str | None = None
    branch: int | None = None


AT_THE_END = Place()


def open_turn(
    *, thread_id: str, query: str, key: str, owner: str, model: str, place: Place = AT_THE_END
) -> TurnRecord:
    """Commits the person's message and its turn together.

    Raises TurnRefused, storing nothing, where the thread has a running turn, the key was used, or the
    thread is on another branch meanwhile; UnknownMessage where `edit_of` is none of it.
    """
    with transaction.atomic():
        branches.refuse_if_running(thread_id, BUSY)
        branches.refuse_if_moved(thread_id, place.branch)
        if place.edit_of is not None:
            edited = branches.message(place.edit_of)
            if edited.thread_id != thread_id or edited.role != "user":
                raise UnknownMessage("Only a question of this conversation can be asked again.")
            branches.leave(edited)
        question = conversational.write(content=query, role="user", thread_id=thread_id)
        threads.title_by_words(thread_id, query, first=question.parent_id is None)
        return _create(question, key=key, owner=owner, model=model)


def reopen(turn_id: str, *, key: str, owner: str, model: str) -> TurnRecord:
    """A new turn for the question of one that ended without an answer; the message stays one.

    Raises TurnRefused where the turn is not the thread's last, runs, or was answered.
    """
    with transaction.atomic():
        old = get(turn_id)
        if old.outcome == Outcome.RUNNING:
            raise TurnRefused(BUSY, reason="busy")
        last = conversational.last(old.thread_id)
        if old.outcome == Outcome.ANSWERED or last is None or last.id != old.question.id:
            raise TurnRefused(
                "Only the latest question can be tried again, and only while it has no answer.",
                reason="not_retryable",
            )
        return _create(old.question, key=key, owner=owner, model=model)


def _create(question: MessageRecord, *, key: str, owner: str, model: str) -> TurnRecord:
    try:
        with transaction.atomic():
            row = Turn.objects.create(
                id=uuid.uuid4().hex,
                thread_id=question.thread_id,
                key=key,
                question_id=int(question.id),
                owner=owner,
                model=model,
                started_at=clock.now(),
            )
    except IntegrityError as error:
        raise TurnRefused(BUSY, reason="busy") from error
    return record(row)


def checkpoint(turn_id: str, partial_text: str) -> None:
    """Keeps what has been written so far, in case the process dies."""
    Turn.objects.filter(pk=turn_id, outcome=Outcome.RUNNING).update(partial_text=storable(partial_text))


def end(  # noqa: PLR0913  (the fields of one record)
    turn_id: str,
    *,
    outcome: str,
    answer: MessageRecord | None = None,
    partial_text: str = "",
    error: str = "",
    steps: tuple[str, ...] = (),
    used: Mapping[str, Any] | None = None,
    helpers: Mapping[str, Any] | None = None,
) -> None:
    """Ends a running turn; one that has ended already stays as it is."""
    Turn.objects.filter(pk=turn_id, outcome=Outcome.RUNNING).update(
        outcome=outcome,
        answer_id=int(answer.id) if answer else None,
        partial_text=storable(partial_text),
        error=storable(error),
        steps=list(steps),
        used=dict(used or {}),
        helpers=dict(helpers or {}),
        finished_at=clock.now(),
    )


def with_a_helper_to_retry(names: Collection[str], *, besides: str, limit: int) -> list[TurnRecord]:
    """Answered turns, oldest first, where a step of these names failed and waits, or was never reached
    since its process died."""
    waiting, long_ago = Q(), Q(finished_at__lt=clock.now() - _ABANDONED)
    for name in names:
        tried = Q(**{f"helpers__{name}__attempts__gte": 1})
        waiting |= Q(**{f"helpers__{name}__status": "pending"}) & (tried | long_ago)
    rows = Turn.objects.select_related("question", "answer").filter(waiting).exclude(pk=besides)
    rows = rows.filter(answer__isnull=False, question__superseded_at=None).order_by("started_at", "pk")
    return [record(row) for row in rows[:limit]]


def has_pending_helper(thread_id: str, name: str, since: datetime) -> bool:
    """Whether a step of this name is yet to be done after a turn that ended after `since`."""
    recent = Turn.objects.filter(thread_id=thread_id, finished_at__gt=since)
    return recent.filter(**{f"helpers__{name}__status": "pending"}).exists()


def note_helper(turn_id: str, name: str, state: Mapping[str, Any]) -> None:
    """Records how one step after the answer went."""
    with transaction.atomic():
        row = Turn.objects.filter(pk=turn_id).first()
        if row is not None:
            row.helpers = {**row.helpers, name: dict(state)}
            row.save(update_fields=["helpers"])
