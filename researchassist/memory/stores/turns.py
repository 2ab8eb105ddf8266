"""Turns: opening, checkpointing and ending one run of the harness."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from researchassist.errors import TurnRefused, UnknownTurn
from researchassist.memory import clock
from researchassist.memory.models import Outcome, Thread, Turn
from researchassist.memory.records import MessageRecord, TurnRecord
from researchassist.memory.text import storable

from . import conversational, threads

BUSY = "An answer is still being written in this conversation. Wait for it or stop it, then send this."


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
    """A thread's turns, oldest first; of those for one question only the latest."""
    rows = Turn.objects.select_related("question", "answer").filter(thread_id=thread_id)
    latest = {row.question_id: record(row) for row in rows.order_by("started_at", "pk")}
    return sorted(latest.values(), key=lambda turn: turn.question.timestamp)


def running() -> list[TurnRecord]:
    """All turns that have not ended, whichever process runs them."""
    rows = Turn.objects.select_related("question", "answer").filter(outcome=Outcome.RUNNING)
    return [record(row) for row in rows]


def open_turn(*, thread_id: str, query: str, key: str, owner: str, model: str) -> TurnRecord:
    """Commits the person's message and its turn together.

    Raises TurnRefused, storing nothing, where the thread has a running turn or the key was used.
    """
    with transaction.atomic():
        if Turn.objects.filter(thread_id=thread_id, outcome=Outcome.RUNNING).exists():
            raise TurnRefused(BUSY, reason="busy")
        question = conversational.write(content=query, role="user", thread_id=thread_id)
        Thread.objects.filter(pk=thread_id, title="").update(title=threads.clean_title(query))
        return _create(question, key=key, owner=owner, model=model)


def reopen(turn_id: str, *, key: str, owner: str, model: str) -> TurnRecord:
    """A new turn for the question of one that ended without an answer; the message stays one.

    Raises TurnRefused where the turn is not the thread's last, runs, or was answered.
    """
    with transaction.atomic():
        old = get(turn_id)
        if old.outcome == Outcome.RUNNING:
            raise TurnRefused(BUSY, reason="busy")
        messages = conversational.all_of(old.thread_id)
        if old.outcome == Outcome.ANSWERED or messages[-1].id != old.question.id:
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


def note_helper(turn_id: str, name: str, state: Mapping[str, Any]) -> None:
    """Records how one step after the answer went."""
    with transaction.atomic():
        row = Turn.objects.filter(pk=turn_id).first()
        if row is not None:
            row.helpers = {**row.helpers, name: dict(state)}
            row.save(update_fields=["helpers"])
