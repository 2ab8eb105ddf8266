"""/remember TEXT: keep something about the person, in their own words."""

from researchassist.agent.fact_control import tell
from researchassist.errors import CommandRefused

from .definition import Command, CommandContext, CommandResult
from .fact_entries import fact_entry, undo_button

_SAID = {
    "added": "Remembered.",
    "replaced": "Remembered; what it contradicts is replaced.",
    "updated": "What was known is completed by it.",
    "known": "This is known already; nothing was changed.",
}


def run(context: CommandContext, argument: str) -> CommandResult:
    """The fact, with the button that takes it back."""
    if not argument.strip():
        raise CommandRefused("Say what to remember: /remember My seal is QX-77")
    assistant = context.assistant
    outcome = tell(assistant, argument, context.thread_id)
    if outcome.fact_id is None:
        return CommandResult(_SAID[outcome.status])
    undo = () if outcome.status == "known" else undo_button(assistant.memory, outcome.fact_id)
    fact = assistant.memory.fact(outcome.fact_id)
    return CommandResult(_SAID[outcome.status], cards=(fact_entry(fact, actions=undo),))


COMMAND = Command("remember", "keep something about you", run, "TEXT", "Remembering “{}”…")
