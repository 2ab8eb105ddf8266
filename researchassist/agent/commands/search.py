"""/search WORDS: find what was said, over all conversations."""

import re
from collections.abc import Sequence

from django.utils import timezone

from researchassist.errors import CommandRefused
from researchassist.memory.records import MessageRecord

from .definition import Command, CommandContext, CommandResult, Entry
from .entries import counted

_MOST = 30
_AROUND = 120


def run(context: CommandContext, argument: str) -> CommandResult:
    """Messages with the words, most words first, each with its conversation and date."""
    words = re.findall(r"\w+", argument)
    if not words:
        raise CommandRefused("Say which words to look for: /search paging latency")
    memory = context.assistant.memory
    found = memory.find_messages(words, thread_id=None)
    # Most words first; among equals the latest stay first.
    found.sort(key=lambda m: -sum(word.casefold() in m.content.casefold() for word in words))
    if not found:
        return CommandResult("No message in any conversation has these words.")
    titles = {thread.id: thread.title for thread in memory.threads()}
    rows = tuple(_row(one, titles.get(one.thread_id, ""), words) for one in found[:_MOST])
    more = f" The first {_MOST} are shown; use rarer words." if len(found) > _MOST else ""
    return CommandResult(f"{counted(len(found), 'message')} found.{more}", rows=rows)


def _row(message: MessageRecord, title: str, words: Sequence[str]) -> Entry:
    facts = [
        "you" if message.role == "user" else "answer",
        timezone.localtime(message.timestamp).strftime("%Y-%m-%d %H:%M"),
        f"in summary {message.summary_id}" if message.summary_id else "",
    ]
    return Entry(
        title=title or "New conversation",
        facts=tuple(fact for fact in facts if fact),
        text=_around(message.content, words),
        thread_id=message.thread_id,
        message_id=message.id,
    )


def _around(text: str, words: Sequence[str]) -> str:
    """The text around the first of the words, on one line."""
    line = " ".join(text.split())
    places = [place for word in words if (place := line.casefold().find(word.casefold())) >= 0]
    start = max(min(places, default=0) - _AROUND, 0)
    end = start + 3 * _AROUND
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


COMMAND = Command(
    "search", "find words in all conversations", run, "WORDS", "Looking for “{}” in all conversations…"
)
