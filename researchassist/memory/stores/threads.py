"""Threads: making, listing, renaming and deleting conversations."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from researchassist.errors import ThreadDeleted, UnknownThread
from researchassist.memory import clock
from researchassist.memory.models import DeletedThread, Privacy, Thread
from researchassist.memory.records import ThreadRecord
from researchassist.memory.text import storable
from researchassist.memory.thread_records import MODEL, PERSON, TITLE_CHARS, WORDS


def record(thread: Thread) -> ThreadRecord:
    """The thread as a plain value."""
    return ThreadRecord(
        id=thread.id,
        title=thread.title,
        sample=thread.sample,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        titled_by=thread.titled_by,
        branch=thread.branch,
        privacy=thread.privacy,
    )


def get(thread_id: str) -> Thread:
    """The row of a thread; raises UnknownThread, and ThreadDeleted where it was deleted."""
    thread = Thread.objects.filter(pk=thread_id).first()
    if thread is None:
        _refuse_deleted(thread_id)
        raise UnknownThread(f"There is no conversation {thread_id!r}.")
    return thread


def set_privacy(thread_id: str, privacy: str) -> None:
    """Says what a thread leaves behind from now on; the thread is made where it is new."""
    ensure(thread_id)
    Thread.objects.filter(pk=thread_id).update(privacy=privacy)


def privacy(thread_id: str) -> str:
    """What a thread leaves behind; one that does not exist yet is open."""
    return Thread.objects.filter(pk=thread_id).values_list("privacy", flat=True).first() or Privacy.OPEN


def ensure(thread_id: str, *, title: str = "", sample: bool = False) -> Thread:
    """The row of a thread, made where it is not there yet; a title it is given then is a person's.

    Raises ThreadDeleted where it was deleted: a page that still shows it must not begin it anew.
    """
    if (known := Thread.objects.filter(pk=storable(thread_id)).first()) is not None:
        return known
    _refuse_deleted(thread_id)
    time = clock.now()
    values = {"title": clean_title(title), "sample": sample, "created_at": time, "updated_at": time}
    values["titled_by"] = PERSON if values["title"] else ""
    try:
        with transaction.atomic():
            thread, _ = Thread.objects.get_or_create(pk=storable(thread_id), defaults=values)
    except IntegrityError:
        thread = get(thread_id)
    return thread


def _refuse_deleted(thread_id: str) -> None:
    gone = DeletedThread.objects.filter(pk=thread_id).defer("packed").first()
    if gone is not None:
        name = f"“{gone.title}”" if gone.title else "This conversation"
        raise ThreadDeleted(f"{name} was deleted.", thread_id=thread_id, can_come_back=_packed(thread_id))


def _packed(thread_id: str) -> bool:
    return DeletedThread.objects.filter(pk=thread_id, packed__isnull=False).exists()


def title_by_words(thread_id: str, query: str, *, first: bool) -> None:
    """Titles a thread by the words of a question: its first one where no person gave it a name, any
    other where it has no title."""
    rows = Thread.objects.filter(pk=thread_id)
    rows = rows.exclude(titled_by=PERSON) if first else rows.filter(title="")
    rows.update(title=clean_title(query), titled_by=WORDS)


def title_by_model(thread_id: str, title: str) -> None:
    """Titles a thread that is titled by its first words."""
    rows = Thread.objects.filter(pk=thread_id, titled_by=WORDS)
    rows.update(title=clean_title(title), titled_by=MODEL)


def rename(thread_id: str, title: str) -> ThreadRecord:
    """Gives a thread a person's title; raises UnknownThread."""
    row = get(thread_id)
    row.title, row.titled_by = clean_title(title), PERSON
    row.save(update_fields=["title", "titled_by"])
    return record(row)


def latest(limit: int, after: tuple[datetime, str] | None) -> list[ThreadRecord]:
    """At most `limit` threads, the latest first, from the one after `after` on."""
    rows = Thread.objects.order_by("-updated_at", "pk")
    if after is not None:
        time, thread_id = after
        rows = rows.filter(Q(updated_at__lt=time) | Q(updated_at=time, pk__gt=thread_id))
    return [record(row) for row in rows[:limit]]


def clean_title(title: str) -> str:
    """One line of at most TITLE_CHARS characters, cut at a word where it can be."""
    line = " ".join(storable(title).split())
    if len(line) <= TITLE_CHARS:
        return line
    head = line[: TITLE_CHARS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[20:] else head) + "…"
