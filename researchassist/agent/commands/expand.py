"""/expand ID: open a summary into the original messages."""

import re

from django.utils import timezone

from researchassist.errors import CommandRefused

from .definition import Command, CommandContext, CommandResult, Entry
from .entries import counted

_SAID = {"user": "You", "assistant": "Answer"}


def run(context: CommandContext, argument: str) -> CommandResult:
    """The summary, and behind it every message word for word, in order."""
    found = re.search(r"[0-9A-Za-z]{4,}", argument.replace("Summary ID:", ""))
    if found is None:
        raise CommandRefused("Give the id of a summary, as /summarize names it: /expand 1a2b3c4d")
    memory = context.assistant.memory
    record = memory.read_summary_memory(found.group())
    messages = memory.messages_of_summary(record.id)
    rows = tuple(
        Entry(
            title=_SAID.get(one.role, one.role),
            facts=(timezone.localtime(one.timestamp).strftime("%Y-%m-%d %H:%M"),),
            text=one.content,
            thread_id=one.thread_id,
            message_id=one.id,
        )
        for one in messages
    )
    if not rows:
        rows = (Entry(title="The original text", text=record.full_content),)
    made = f"Summary {record.id}, made from {counted(len(messages), 'message') or 'one text'}."
    return CommandResult(f"{made}\n\n{record.summary}", rows=rows)


COMMAND = Command("expand", "open a summary into its original messages", run, "ID", "Opening summary {}…")
