"""A thread as Markdown: what was said, with the sources of each answer, and its earlier versions marked."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from researchassist.memory.thread_file import FileMessage, FileSource, FileTurn, ThreadFile

from .passages import cited


def as_markdown(file: ThreadFile) -> str:
    """The whole document: the conversation as it is now, then what was superseded."""
    turns = {turn.answer: turn for turn in file.turns if turn.answer is not None}
    sources = {source.source: source for source in file.sources}
    shown = [message for message in file.messages if message.superseded_at is None]
    left = [message for message in file.messages if message.superseded_at is not None]
    parts = [f"# {file.title or 'Conversation'}", _facts(file, len(shown), len(left))]
    for message in shown:
        parts += _message(message, turns.get(message.number), sources)
    if left:
        parts += [
            "---",
            "## Earlier versions",
            "What was asked again or edited is kept here; it is no longer part of the conversation.",
        ]
    for message in left:
        parts += _message(message, turns.get(message.number), sources)
    return "\n\n".join(parts) + "\n"


def _facts(file: ThreadFile, shown: int, left: int) -> str:
    zone = timezone.get_default_timezone_name()
    more = f", {left} in earlier versions" if left else ""
    return f"*{shown} messages{more}. Conversation {file.id}, exported {_time(file.exported_at)} ({zone}).*"


def _message(message: FileMessage, turn: FileTurn | None, sources: Mapping[str, FileSource]) -> Iterator[str]:
    who = "You" if message.role == "user" else "Answer"
    notes = [_time(message.timestamp)]
    notes += [turn.model] if turn and turn.model else []
    notes += [f"superseded {_time(message.superseded_at)}"] if message.superseded_at else []
    yield f"**{who}** · {' · '.join(notes)}"
    given = turn.used.get("given", {}).get("knowledge_base", ()) if turn else ()
    text, marked = cited(message.content, given)
    yield _quoted(message.content) if message.role == "user" else text
    if given:
        listed = marked or given
        lines = "\n".join(_passage(number, one, sources) for number, one in enumerate(listed, 1))
        yield f"{'Sources' if marked else 'Passages given'}:\n\n{lines}"


def _passage(number: int, given: Mapping[str, Any], sources: Mapping[str, FileSource]) -> str:
    source = sources.get(str(given.get("source")))
    title = (source.title if source else "") or given.get("title") or given.get("source") or "untitled"
    parts = [str(title)]
    if source:
        parts += [", ".join(source.authors)] if source.authors else []
        parts += [source.published[:4]] if source.published else []
    parts += [f"page {given['page']}"] if given.get("page") else []
    parts += (
        [f"passage {given['passage']} of {given['of']}"] if given.get("passage") and given.get("of") else []
    )
    parts += [source.url if source and source.url else str(given.get("source") or "")]
    return f"{number}. " + " · ".join(" ".join(part.split()) for part in parts if part)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines() or [""])


def _time(time: datetime) -> str:
    return timezone.localtime(time).strftime("%Y-%m-%d %H:%M")
