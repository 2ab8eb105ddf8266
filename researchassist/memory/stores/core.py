"""CORE_MEMORY: the person's short text, one row a write, exact; found by user alone."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from researchassist.errors import MemoryRefused
from researchassist.memory import clock
from researchassist.memory.models import CoreMemory
from researchassist.memory.records import CoreWrite, MessageRecord
from researchassist.memory.text import storable

Change = Callable[[str], str]


def read(user: str) -> str:
    """Core memory as it is now; "" where nothing was written yet."""
    newest = _writes(user).last()
    return newest.text if newest else ""


def writes(user: str) -> list[CoreWrite]:
    """Every write, oldest first."""
    before, found = "", []
    for row in _writes(user):
        found.append(_record(row, before))
        before = row.text
    return found


def write(  # noqa: PLR0913  (the fields of one record)
    user: str,
    change: Change,
    *,
    operation: str,
    author: str,
    count: Callable[[str], int],
    quote: str = "",
    message: MessageRecord | None = None,
) -> CoreWrite:
    """Makes the text what `change` makes of it, in one step; what `change` raises leaves it as it is.

    `count` gives the tokens of a text for the log.
    """
    with transaction.atomic():
        newest = _writes(user).last()
        before = newest.text if newest else ""
        after = storable(change(before))
        row = CoreMemory(
            operation=operation,
            author=author,
            quote=storable(quote),
            message_id=int(message.id) if message else None,
        )
        return _save(row, user, newest, after, count)


def undo(user: str, count: Callable[[str], int]) -> CoreWrite:
    """Puts back the text before the latest write that was not undone yet.

    Raises MemoryRefused where there is none.
    """
    with transaction.atomic():
        rows = list(_writes(user))
        undone = {row.undoes for row in rows if row.undoes is not None}
        standing = [row for row in rows if row.undoes is None and row.number not in undone]
        if not standing:
            raise MemoryRefused("There is no change of core memory to undo.")
        last = standing[-1]
        before = next((row.text for row in rows if row.number == last.number - 1), "")
        row = CoreMemory(operation="undo", author="person", undoes=last.number)
        return _save(row, user, rows[-1], before, count)


def _save(
    row: CoreMemory, user: str, newest: CoreMemory | None, after: str, count: Callable[[str], int]
) -> CoreWrite:
    before = newest.text if newest else ""
    row.user, row.text = user, after
    row.number = newest.number + 1 if newest else 1
    row.tokens_before, row.tokens_after = count(before), count(after)
    row.timestamp = clock.now()
    row.save()
    return _record(row, before)


def _writes(user: str) -> QuerySet[CoreMemory]:
    return CoreMemory.objects.filter(user=user).order_by("number")


def _record(row: CoreMemory, before: str) -> CoreWrite:
    return CoreWrite(
        number=row.number,
        operation=row.operation,
        author=row.author,
        before=before,
        after=row.text,
        quote=row.quote,
        message_id=str(row.message_id) if row.message_id else None,
        undoes=row.undoes,
        tokens_before=row.tokens_before,
        tokens_after=row.tokens_after,
        timestamp=row.timestamp,
    )
