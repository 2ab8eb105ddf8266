"""Finding what was said before, over the whole history."""

from django.utils import timezone

from researchassist.errors import ToolError, UnknownMessage
from researchassist.memory import keywords
from researchassist.memory.clock import now
from researchassist.memory.dates import span
from researchassist.memory.found_records import RecalledMessage
from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import message_line
from researchassist.memory.records import MessageRecord
from researchassist.memory.stores.message_search import MessageFilter

from .definition import ToolContext, working
from .paging import page_of

_MOST = 50
_PAGE = 10
_LONGEST = 700
_BESIDE = 160
# Room for the fence around the result and the lines that say how to go on.
_ROOM = 420


@working("Looking for “{query}” in earlier messages", "Looking through earlier messages")
def recall_search(  # noqa: PLR0913  (the filters are what the model reads)
    context: ToolContext,
    query: str = "",
    when: str = "",
    thread: str = "",
    start: int = 1,
    message: str = "",
    offset: int = 0,
) -> str:
    """Find what was said before, in any conversation, by meaning and words.

    Searches every message ever said, also those that are not shown or were condensed. Each comes with its
    date, its conversation and what was said right before and after it. A question works better than a
    single word.

    Args:
        query: What to look for; empty for the latest messages.
        when: Only from this time, such as 2026-05-08, May 2026, last week, since March, 2025 to May 2026.
        thread: "this" for this conversation only, or the title or id of another one; empty for all.
        start: The number of the first message to show; the last line says where the next ones start.
        message: The id of one message to read whole, as a shortened one gives it.
        offset: With message: the character to start at.
    """
    memory = context.assistant.memory
    limit = context.assistant.options.tool_excerpt_chars
    if message:
        return _whole(memory, message, offset, limit)
    if not 1 <= start <= _MOST:
        raise ToolError(f"start must be between 1 and {_MOST}.")
    since, until = span(when, timezone.localtime(now())) if when.strip() else (None, None)
    where = MessageFilter(
        thread_id=_thread_id(context, thread), since=since, until=until, before=context.question
    )
    found = memory.recall_messages(query, where=where, start=start - 1, limit=_PAGE)
    hits = [hit for hit in found.hits if hit.score > 0 or not query.strip()]
    notes = []
    if found.waiting and query.strip():
        notes.append(f"[{found.waiting} messages are found by their words only, until they are embedded.]")
    if not hits:
        return "\n".join(["No earlier message fits." if start == 1 else "There are no more.", *notes])
    shown: list[str] = []
    room = limit - _ROOM
    for number, hit in enumerate(hits, start):
        text = _entry(number, hit, context, keywords.terms(query))
        if shown and len(text) > room:
            break
        shown.append(text)
        room -= len(text) + 2
    after = start + len(shown)
    if after <= min(found.total, _MOST) and (len(shown) < len(hits) or len(hits) == _PAGE):
        notes.append(f"[More were found; they begin at start={after}.]")
    return "\n\n".join([*shown, *notes])


def _thread_id(context: ToolContext, thread: str) -> str | None:
    """The id of the one conversation that is meant; None for all."""
    wanted = " ".join(thread.split())
    if not wanted or wanted.casefold() in ("all", "any"):
        return None
    if wanted.casefold() in ("this", "current"):
        return context.thread_id
    threads = context.assistant.memory.threads()
    for one in threads:
        if one.id == wanted:
            return one.id
    titled = [one for one in threads if wanted.casefold() in one.title.casefold()]
    if len(titled) != 1:
        what = "several conversations have" if titled else "no conversation has"
        raise ToolError(
            f"{what.capitalize()} {wanted!r} in the title; give more of it, or leave thread empty."
        )
    return titled[0].id


def _entry(number: int, hit: RecalledMessage, context: ToolContext, terms: list[str]) -> str:
    """A message with its neighbours, in their order."""
    here = " (this conversation)" if hit.message.thread_id == context.thread_id else ""
    under = f", condensed in summary {hit.message.summary_id}" if hit.message.summary_id else ""
    lines = [f"[{number}] in “{hit.thread_title or 'New conversation'}”{here}{under}"]
    if hit.before is not None:
        lines.append("before: " + _short(message_line(hit.before), _BESIDE))
    lines.append(_around(hit.message, terms))
    if hit.after is not None:
        lines.append("after: " + _short(message_line(hit.after), _BESIDE))
    return "\n".join(lines)


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _around(message: MessageRecord, terms: list[str]) -> str:
    """The message, or of a long one the part where most of the words stand, and how to read the rest."""
    text = message.content
    if len(text) <= _LONGEST:
        return message_line(message)
    lowered = text.casefold()
    starts = range(0, len(text), _LONGEST // 2)
    best = max(starts, key=lambda at: sum(term in lowered[at : at + _LONGEST] for term in terms))
    end = min(best + _LONGEST, len(text))
    head = message_line(message).removesuffix(text)
    return (
        f"{head}{'…' if best else ''}{text[best:end]}{'…' if end < len(text) else ''}\n"
        f'[characters {best} to {end} of {len(text)}; recall_search(message="{message.id}") reads it whole]'
    )


def _whole(memory: MemoryManager, message_id: str, offset: int, limit: int) -> str:
    """One message page by page, where it is part of its conversation."""
    try:
        message = memory.message(message_id.strip().lstrip("#"))
    except UnknownMessage as error:
        raise ToolError(f"There is no message {message_id!r}; take the id from a result.") from error
    if message.superseded_at is not None:
        raise ToolError(f"Message {message_id} is no longer part of its conversation.")
    call = f'recall_search(message="{message.id}", offset={{}})'
    return page_of(message_line(message), offset=offset, limit=limit, call=call)
