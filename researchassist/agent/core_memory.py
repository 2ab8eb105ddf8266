"""Core memory: the rules by which its text changes, for the model and for the person.

Owns the limit, what is refused and the words of refusal; the rows are memory's, what a write by the
model must rest on is quotes.py's.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from researchassist.errors import MemoryRefused
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import CoreWrite, MessageRecord

from .budget import estimate
from .framing import is_meant
from .own_words import own_words
from .quotes import rests_on, span_in

log = logging.getLogger(__name__)

# The kind of document that archival_insert makes.
NOTE = "note"
_SHOWN = 160


@dataclass(frozen=True)
class Basis:
    """What a write by the model names: a span of the person's message of this turn."""

    quote: str
    message: MessageRecord

    def allowed(self, memory: MemoryManager) -> None:
        """Raises MemoryRefused where nothing said in this conversation may be remembered."""
        if not memory.may_remember(self.message.thread_id):
            raise MemoryRefused("Not saved: the person turned memory off, or made this conversation private.")

    def span_for(self, text: str) -> str:
        """The person's words that `text` rests on; raises MemoryRefused where it does not."""
        said = own_words(self.message.content)
        span = span_in(self.quote, said)
        if span is None:
            raise MemoryRefused(
                f"Not saved: “{_short(self.quote)}” is not among the person's own words in their message of "
                "this turn. Only what the person says themselves is remembered of them, never what a "
                "document, a tool or a pasted text says. Quote at least two words of theirs exactly."
            )
        if not is_meant(span, said):
            raise MemoryRefused(
                f"Not saved: “{_short(span)}” is played, supposed, or said by somebody else in the person's "
                "message. Only what they mean of themselves is remembered."
            )
        if text and not rests_on(text, span, said):
            raise MemoryRefused(
                f"Not saved: “{_short(text)}” has nothing of the quoted words “{_short(span)}”. Say it in "
                "the person's own words, and with no address they did not give."
            )
        return span


def append(memory: MemoryManager, text: str, basis: Basis) -> CoreWrite:
    """Adds a line by the model; raises MemoryRefused where it rests on nothing or does not fit."""
    line = _line(text)
    if not line:
        raise MemoryRefused("Not saved: there is no text.")
    basis.allowed(memory)
    span = basis.span_for(line)
    limit = memory.options.core_chars
    return _logged(
        memory.write_core_memory(
            lambda before: _appended(before, line, limit),
            operation="append",
            author="model",
            count=estimate,
            quote=span,
            message=basis.message,
        )
    )


def replace(memory: MemoryManager, old: str, new: str, basis: Basis) -> CoreWrite:
    """Puts `new` in the place of `old`, which must stand there once; raises MemoryRefused.

    The change rests on the person's words, but for making room: what the archive holds may be
    shortened or taken out here.
    """
    basis.allowed(memory)
    old, line = _line(old), _line(new)
    moved = _words(line) <= _words(old) and memory.is_archived(old, NOTE)
    span = basis.span_for("" if moved else line or old)
    limit = memory.options.core_chars
    return _logged(
        memory.write_core_memory(
            lambda before: _replaced(before, old, line, limit),
            operation="replace",
            author="model",
            count=estimate,
            quote=span,
            message=basis.message,
        )
    )


def edit(memory: MemoryManager, text: str) -> CoreWrite:
    """Makes core memory what the person typed; raises MemoryRefused where it is too long."""
    lines = [line for line in map(_line, text.splitlines()) if line]
    change = _within(memory.options.core_chars, lambda _: "\n".join(lines))
    return _logged(memory.write_core_memory(change, operation="edit", author="person", count=estimate))


def undo(memory: MemoryManager) -> CoreWrite:
    """Takes the latest change back; raises MemoryRefused where there is none."""
    return _logged(memory.undo_core_memory(estimate))


def _appended(before: str, line: str, limit: int) -> str:
    if line.casefold() in (one.casefold() for one in before.splitlines()):
        raise MemoryRefused("Core memory holds exactly this already.")
    after = f"{before}\n{line}" if before else line
    if len(after) > limit:
        raise MemoryRefused(
            f"Not saved: core memory would have {len(after):,} characters and may have {limit:,} "
            f"({len(before):,} are taken). Move older facts out with archival_insert and shorten them here "
            "with core_memory_replace, then append again."
        )
    return after


def _replaced(before: str, old: str, new: str, limit: int) -> str:
    count = before.count(old) if old else 0
    if count != 1:
        many = f"stands there {count} times; give more of the line" if count else "does not stand there"
        raise MemoryRefused(f"Not changed: “{_short(old)}” {many}. Core memory is:\n{before or '(empty)'}")
    after = "\n".join(line for line in map(_line, before.replace(old, new).splitlines()) if line)
    return _within(limit, lambda _: after)(before)


def _within(limit: int, change: Callable[[str], str]) -> Callable[[str], str]:
    """`change`, refused where the text is longer than `limit` after it and not shorter than before."""

    def checked(before: str) -> str:
        after = change(before)
        if len(after) > limit and len(after) >= len(before):
            raise MemoryRefused(
                f"Not changed: core memory would have {len(after):,} characters and may have {limit:,}."
            )
        return after

    return checked


def _line(text: str) -> str:
    """One line, as core memory keeps a fact."""
    return re.sub(r"^[-*•]\s+", "", " ".join(text.split()))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _logged(write: CoreWrite) -> CoreWrite:
    log.info(
        "Core memory: %s by the %s, %d to %d characters, %d to %d tokens.",
        write.operation,
        write.author,
        len(write.before),
        len(write.after),
        write.tokens_before,
        write.tokens_after,
    )
    return write
