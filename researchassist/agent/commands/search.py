"""/search WORDS: find what was said, over all conversations."""

from django.utils import timezone

from researchassist.errors import CommandRefused
from researchassist.memory.found_records import FoundMessage

from .definition import Command, CommandContext, CommandResult, Entry
from .entries import counted

_MOST = 30


def run(context: CommandContext, argument: str) -> CommandResult:
    """Messages with the words, those with every word first, each with its conversation and date."""
    if not any(character.isalnum() for character in argument):
        raise CommandRefused("Say which words to look for: /search paging latency")
    found = context.assistant.memory.search_messages(argument, limit=_MOST)
    if not found.total:
        return CommandResult("No message in any conversation has these words.")
    more = f" The first {_MOST} are shown; use rarer words." if found.total > _MOST else ""
    rows = tuple(_row(one) for one in found.hits)
    return CommandResult(f"{counted(found.total, 'message')} found.{more}", rows=rows)


def _row(found: FoundMessage) -> Entry:
    message = found.message
    facts = [
        "you" if message.role == "user" else "answer",
        timezone.localtime(message.timestamp).strftime("%Y-%m-%d %H:%M"),
        f"in summary {message.summary_id}" if message.summary_id else "",
    ]
    return Entry(
        title=found.thread_title or "New conversation",
        facts=tuple(fact for fact in facts if fact),
        text=found.text,
        thread_id=message.thread_id,
        message_id=message.id,
    )


COMMAND = Command(
    "search", "find words in all conversations", run, "WORDS", "Looking for “{}” in all conversations…"
)
