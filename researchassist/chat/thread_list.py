"""The list of conversations: a bounded part of it, grouped by date in the person's zone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from django.utils import timezone

from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import ThreadRecord

from .conversation import place_of, time_of

# What the list shows at once; more is loaded as one scrolls.
_MOST = 40
_LAST_DAYS = 7


@dataclass(frozen=True)
class Group:
    """Conversations of one stretch of time; without a label it goes on with the group before."""

    label: str
    threads: Sequence[ThreadRecord]


@dataclass(frozen=True)
class ThreadList:
    """A part of the list; `more` is where the next one begins, "" at the end."""

    groups: Sequence[Group] = ()
    more: str = ""


NO_THREADS = ThreadList()


def thread_list(memory: MemoryManager, place: str = "") -> ThreadList:
    """The first part of the list, or the one after a `place` that an earlier part named."""
    after = _after(place)
    threads = memory.latest_threads(_MOST + 1, after)
    shown = threads[:_MOST]
    last = shown[-1] if len(threads) > _MOST else None
    more = f"{place_of(last.updated_at)}-{last.id}" if last else ""
    return ThreadList(tuple(_groups(shown, after)), more)


def _after(place: str) -> tuple[datetime, str] | None:
    """The last thread of the part before: when it was last written in, and its id."""
    time, _, thread_id = place.partition("-")
    at = time_of(time)
    return (at, thread_id) if at is not None else None


def _groups(threads: Sequence[ThreadRecord], after: tuple[datetime, str] | None) -> Iterator[Group]:
    today = timezone.localdate()
    labelled = groupby(threads, lambda thread: label_of(timezone.localdate(thread.updated_at), today))
    known = label_of(timezone.localdate(after[0]), today) if after else ""
    for label, group in labelled:
        yield Group("" if label == known else label, tuple(group))


def label_of(day: date, today: date) -> str:
    """What a day is called in the list: Today, Yesterday, Previous 7 days, or its month."""
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if day >= today - timedelta(days=_LAST_DAYS):
        return f"Previous {_LAST_DAYS} days"
    return f"{day:%B}" if day.year == today.year else f"{day:%B %Y}"
