"""/undo [N]: take the latest change of what is remembered back, or one of a fact's history."""

from researchassist.agent import core_memory
from researchassist.agent.fact_control import undo_change, undo_latest
from researchassist.memory.manager import MemoryManager

from .core import core_card
from .definition import Command, CommandContext, CommandResult
from .fact_entries import change_entry, fact_number


def run(context: CommandContext, argument: str) -> CommandResult:
    """What was taken back: the latest change of a fact or of core memory, whichever is newer."""
    memory = context.assistant.memory
    if not argument.strip() and _core_is_newer(memory):
        core_memory.undo(memory)
        return CommandResult("Core memory is as it was before.", cards=(core_card(memory),))
    undone = undo_change(memory, fact_number(argument, "/undo")) if argument.strip() else undo_latest(memory)
    rows = tuple(change_entry(change) for change in undone)
    return CommandResult("Taken back. The history keeps both.", rows=rows)


def _core_is_newer(memory: MemoryManager) -> bool:
    """Whether the latest change that stands is one of core memory."""
    writes = memory.core_writes()
    undone = {write.undoes for write in writes}
    standing = [write for write in writes if write.undoes is None and write.number not in undone]
    latest = memory.latest_fact_change()
    return bool(standing) and (latest is None or standing[-1].timestamp > latest.at)


COMMAND = Command("undo", "take back the latest change of what is remembered", run, "[N]", "Taking it back…")
