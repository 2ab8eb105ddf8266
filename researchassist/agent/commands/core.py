"""/core: core memory in the person's hands: see it, write it anew, empty it, take a change back."""

from researchassist.agent import core_memory
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import CoreWrite

from .definition import Action, Command, CommandContext, CommandResult, Entry
from .entries import moment

_BY = {"model": "by the assistant", "person": "by you"}
_DONE = {"append": "added", "replace": "changed", "edit": "written", "undo": "taken back"}
_CHANGES = 10


def run(context: CommandContext, argument: str) -> CommandResult:
    """Core memory with its latest changes; "undo" takes the last one back, "clear" empties it, any other
    text takes its place."""
    memory, word = context.assistant.memory, argument.strip().casefold()
    if not word:
        changes = tuple(_change(one) for one in reversed(memory.core_writes()[-_CHANGES:]))
        text = "What stands in every request, word for word. The changes below it are the latest."
        return CommandResult(text, cards=(core_card(memory),), rows=changes)
    if word == "undo":
        core_memory.undo(memory)
        return CommandResult("Taken back. Core memory is as it was before.", cards=(core_card(memory),))
    core_memory.edit(memory, "" if word == "clear" else argument)
    return CommandResult("Core memory is what you wrote.", cards=(core_card(memory),))


def core_card(memory: MemoryManager) -> Entry:
    """Core memory as it is now, with the buttons that change it."""
    text, limit = memory.read_core_memory(), memory.options.core_chars
    undo = (Action("Undo", "/core undo"),) if memory.core_writes() else ()
    return Entry(
        title="Core memory",
        facts=(f"{len(text):,} of {limit:,} characters",),
        text=text or "(empty)",
        actions=(Action("Edit", f"/core {text}", edit=True), *undo),
    )


def _change(write: CoreWrite) -> Entry:
    lines, before = set(write.after.splitlines()), write.before.splitlines()
    gone = [f"− {line}" for line in before if line not in lines]
    new = [f"+ {line}" for line in write.after.splitlines() if line not in before]
    facts = (moment(write.timestamp), f"{write.tokens_before:,} to {write.tokens_after:,} tokens")
    return Entry(
        title=f"{_DONE[write.operation]} {_BY[write.author]}".capitalize(),
        number=str(write.number),
        facts=(*facts, f"on “{write.quote}”") if write.quote else facts,
        text="\n".join([*gone, *new]),
    )


COMMAND = Command(
    "core", "core memory: see it, write it anew, undo, clear", run, "[TEXT]", "Reading core memory…"
)
