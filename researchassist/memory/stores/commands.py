"""Runs of commands: opening, ending and reading them; they are on the page only, in no context."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from researchassist.errors import UnknownCommandRun
from researchassist.memory import clock
from researchassist.memory.models import CommandRun, Thread
from researchassist.memory.records import CommandRunRecord
from researchassist.memory.text import storable

from . import threads

_RUNNING = "running"


def record(row: CommandRun) -> CommandRunRecord:
    """The run as a plain value."""
    return CommandRunRecord(
        id=row.pk,
        thread_id=row.thread_id,
        key=row.key,
        name=row.name,
        argument=row.argument,
        status=row.status,
        result=row.result,
        error=row.error,
        owner=row.owner,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def get(run_id: str) -> CommandRunRecord:
    """One run; raises UnknownCommandRun."""
    row = CommandRun.objects.filter(pk=run_id).first()
    if row is None:
        raise UnknownCommandRun(f"There is no command run {run_id!r}.")
    return record(row)


def by_key(key: str) -> CommandRunRecord | None:
    """The run that the form with this key started, if it did."""
    row = CommandRun.objects.filter(key=key).first()
    return record(row) if row else None


def of_thread(thread_id: str) -> list[CommandRunRecord]:
    """A thread's runs, oldest first."""
    return [record(row) for row in _ordered().filter(thread_id=thread_id)]


def running() -> list[CommandRunRecord]:
    """All runs that have not ended, whichever process runs them."""
    return [record(row) for row in _ordered().filter(status=_RUNNING)]


def _ordered() -> QuerySet[CommandRun]:
    return CommandRun.objects.order_by("started_at", "pk")


def start(
    *, thread_id: str, name: str, argument: str, key: str, owner: str, run_id: str
) -> tuple[CommandRunRecord, bool]:
    """A running run in a thread, which is made where it is new; False where the key has started one."""
    try:
        with transaction.atomic():
            thread = threads.ensure(thread_id)
            row = CommandRun.objects.create(
                id=run_id or uuid.uuid4().hex,
                thread=thread,
                key=key,
                name=name,
                argument=storable(argument),
                owner=owner,
                started_at=clock.now(),
            )
            Thread.objects.filter(pk=thread.pk).update(updated_at=row.started_at)
    except IntegrityError:
        known = by_key(key)
        if known is None:
            raise
        return known, False
    return record(row), True


def again(run_id: str, *, owner: str) -> tuple[CommandRunRecord, bool]:
    """Makes a run that failed or was interrupted a running one; False where it runs or is done."""
    ended = CommandRun.objects.filter(pk=run_id, status__in=["failed", "interrupted"])
    new = ended.update(status=_RUNNING, owner=owner, error="", result={}, finished_at=None)
    return get(run_id), bool(new)


def end(run_id: str, *, status: str, result: Mapping[str, Any], error: str) -> None:
    """Ends a running run; one that has ended, or is gone with its thread, stays as it is."""
    CommandRun.objects.filter(pk=run_id, status=_RUNNING).update(
        status=status, result=dict(result), error=storable(error), finished_at=clock.now()
    )
