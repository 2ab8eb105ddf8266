"""Documents as entries of a result, the number a command means one by, and times as cards have them."""

from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format

from researchassist.agent.keep import Ingested
from researchassist.errors import CommandRefused
from researchassist.memory.records import DocumentRecord

from .definition import Action, Entry

_AUTHORS = 6
_STATES = {"partial": "not complete", "failed": "not readable"}


def entry_of(document: DocumentRecord, *, actions: tuple[Action, ...] = (), note: str = "") -> Entry:
    """A document: title, authors, kind, pages, passages, state and warning."""
    return Entry(
        title=document.title or document.source,
        number=str(document.id),
        facts=tuple(fact for fact in (*_facts(document), note) if fact),
        warning=document.warning,
        url=document.url,
        actions=actions,
    )


def day(time: datetime) -> str:
    """A day as the page has it, in the stated zone: 1 Dec 2026."""
    return date_format(timezone.localtime(time), "j M Y")


def moment(time: datetime) -> str:
    """A time as the page has it, in the stated zone: 1 Dec 2026, 09:30."""
    return date_format(timezone.localtime(time), "j M Y, H:i")


def _facts(document: DocumentRecord) -> list[str]:
    return [
        names(document.authors),
        document.published[:10],
        document.kind,
        counted(document.pages, "page"),
        counted(document.passages, "passage") or "no passages",
        _STATES.get(document.state, ""),
        "sample" if document.sample else "",
    ]


def names(authors: tuple[str, ...]) -> str:
    """Authors in one line."""
    shown = ", ".join(authors[:_AUTHORS])
    return f"{shown} and {len(authors) - _AUTHORS} more" if len(authors) > _AUTHORS else shown


def counted(count: int, word: str) -> str:
    """A number with its word; nothing where it is none."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}" if count else ""


def entries_of(done: Ingested) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """What was kept as cards, and the entries of a file that lists many as rows."""
    if not done.entries:
        return (_kept(done),), ()
    return (), tuple(_kept(one) for one in done.entries)


def _kept(done: Ingested) -> Entry:
    note = {"unchanged": "already in memory", "changed": "read again"}.get(done.status, "")
    forget = (Action("Forget", f"/forget-document {done.document.id}"),)
    entry = entry_of(done.document, note=note, actions=forget)
    warning = " ".join(dict.fromkeys(part for part in (entry.warning, done.note) if part))
    return Entry(**{**vars(entry), "warning": warning})


def heading_of(done: Ingested) -> str:
    """What became of it, in a sentence of ours."""
    if done.entries:
        counts = [one.status for one in done.entries]
        new = len(counts) - counts.count("unchanged")
        known = f", {counts.count('unchanged')} were in memory already" if "unchanged" in counts else ""
        return f"A list of {counted(len(counts), 'work')}: {new} kept{known}."
    return {
        "new": "In memory now. Ask about it.",
        "changed": "Read again; what was kept of it before is replaced.",
        "unchanged": "This is already in memory; nothing was changed.",
        "failed": "Nothing could be read from it.",
    }[done.status]


def number_in(argument: str, usage: str) -> int:
    """The document's number a person typed. Raises CommandRefused where it is none."""
    text = argument.strip().lstrip("#")
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise CommandRefused(f"Give the number of one document, as /documents lists them: {usage} 3")
    return int(text)
