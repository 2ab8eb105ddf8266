"""/undo [N]: take the latest change of what is remembered back, or one of a fact's history."""

from researchassist.agent.fact_control import undo_change, undo_latest

from .definition import Command, CommandContext, CommandResult
from .fact_entries import change_entry, fact_number


def run(context: CommandContext, argument: str) -> CommandResult:
    """What was taken back."""
    memory = context.assistant.memory
    undone = undo_change(memory, fact_number(argument, "/undo")) if argument.strip() else undo_latest(memory)
    rows = tuple(change_entry(change) for change in undone)
    return CommandResult("Taken back. The history keeps both.", rows=rows)


COMMAND = Command("undo", "take back the latest change of what is remembered", run, "[N]", "Taking it back…")
