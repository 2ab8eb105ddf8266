"""/expand ID: open a summary into the original messages; without an id, list the summaries there are."""

import re

from django.utils import timezone

from researchassist.errors import CommandRefused
from researchassist.memory.records import SummaryRecord

from .definition import Action, Command, CommandContext, CommandResult, Entry
from .entries import counted

_SAID = {"user": "You", "assistant": "Answer"}
_NONE = (
    "This conversation has no summaries yet. /summarize makes one; long conversations get them by themselves."
)


def run(context: CommandContext, argument: str) -> CommandResult:
    """The summary, and behind it every message word for word, in order."""
    if not argument.strip():
        return _list(context)
    found = re.search(r"[0-9A-Za-z]{4,}", argument.replace("Summary ID:", ""))
    if found is None:
        raise CommandRefused("Give the id of a summary, as /expand alone lists them: /expand 1a2b3c4d")
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


def _list(context: CommandContext) -> CommandResult:
    records = context.assistant.memory.summaries(context.thread_id)
    if not records:
        return CommandResult(_NONE)
    text = f"{counted(len(records), 'summary')} of this conversation, oldest first."
    return CommandResult(text, rows=tuple(summary_entry(one) for one in records))


def summary_entry(record: SummaryRecord, *, warning: str = "") -> Entry:
    """A summary with the button that opens it into its messages."""
    return Entry(
        title=record.description,
        number=record.id,
        text=record.summary,
        warning=warning,
        actions=(Action("Open", f"/expand {record.id}"),),
    )


COMMAND = Command("expand", "open a summary into its original messages", run, "[ID]", "Opening summary {}…")
