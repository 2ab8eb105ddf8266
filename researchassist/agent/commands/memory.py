"""/memory: all that is remembered of the person, in one place."""

from .core import core_card
from .definition import Command, CommandContext, CommandResult
from .profile import profile_card


def run(context: CommandContext, argument: str) -> CommandResult:
    """Core memory and the profile, each with the buttons that change it."""
    del argument
    memory = context.assistant.memory
    version = memory.profile()
    cards = (core_card(memory), *((profile_card(version),) if version else ()))
    return CommandResult("What is remembered of you.", cards=cards)


COMMAND = Command("memory", "all that is remembered of you", run, working="Reading what is remembered…")
