"""Threads: making, listing, renaming and deleting conversations."""

from django.db import IntegrityError, transaction

from researchassist.errors import UnknownThread
from researchassist.memory import clock
from researchassist.memory.models import Thread
from researchassist.memory.records import ThreadRecord
from researchassist.memory.text import storable

TITLE_CHARS = 80


def record(thread: Thread) -> ThreadRecord:
    """The thread as a plain value."""
    return ThreadRecord(
        id=thread.id,
        title=thread.title,
        sample=thread.sample,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
    )


def get(thread_id: str) -> Thread:
    """The row of a thread; raises UnknownThread."""
    thread = Thread.objects.filter(pk=thread_id).first()
    if thread is None:
        raise UnknownThread(f"There is no conversation {thread_id!r}.")
    return thread


def ensure(thread_id: str, *, title: str = "", sample: bool = False) -> Thread:
    """The row of a thread, made where it is not there yet."""
    time = clock.now()
    values = {"title": clean_title(title), "sample": sample, "created_at": time, "updated_at": time}
    try:
        with transaction.atomic():
            thread, _ = Thread.objects.get_or_create(pk=storable(thread_id), defaults=values)
    except IntegrityError:
        thread = get(thread_id)
    return thread


def clean_title(title: str) -> str:
    """One line of at most TITLE_CHARS characters, cut at a word where it can be."""
    line = " ".join(storable(title).split())
    if len(line) <= TITLE_CHARS:
        return line
    head = line[: TITLE_CHARS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[20:] else head) + "…"
