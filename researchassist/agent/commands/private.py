"""/private: make this conversation one that leaves nothing behind."""

from researchassist.errors import CommandRefused
from researchassist.memory.models import Privacy

from .definition import Command, CommandContext, CommandResult

_MODES = {"": Privacy.PRIVATE, "on": Privacy.PRIVATE, "closed": Privacy.CLOSED, "off": Privacy.OPEN}
_SAID = {
    Privacy.PRIVATE: (
        "This conversation is private from now on: nothing said here is remembered, and no other "
        "conversation finds it. What is known of you is still used. `/private closed` leaves that out too, "
        "`/private off` ends it."
    ),
    Privacy.CLOSED: (
        "This conversation is private and closed from now on: nothing said here is remembered, and nothing "
        "known of you is used. `/private` lets it be used, `/private off` ends it."
    ),
    Privacy.OPEN: "This conversation is not private any more. What was said meanwhile is not remembered.",
}


def run(context: CommandContext, argument: str) -> CommandResult:
    """What the conversation leaves behind from now on."""
    word = argument.strip().casefold()
    if word not in _MODES:
        raise CommandRefused("Type /private, /private closed or /private off.")
    context.assistant.memory.set_privacy(context.thread_id, _MODES[word])
    return CommandResult(_SAID[_MODES[word]])


COMMAND = Command("private", "a conversation that leaves nothing behind", run, "[closed, off]")
