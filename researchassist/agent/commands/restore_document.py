"""/restore-document N: bring back the document that was forgotten last."""

from researchassist.agent.ingest import restore_document
from researchassist.errors import CommandRefused, UnknownDocument

from .definition import Command, CommandContext, CommandResult
from .entries import entry_of, number_in


def run(context: CommandContext, argument: str) -> CommandResult:
    """The document as it was."""
    number = number_in(argument, "/restore-document")
    memory = context.assistant.memory
    try:
        back = restore_document(context.assistant, number)
    except UnknownDocument as error:
        try:
            known = memory.document(number)
        except UnknownDocument:
            raise CommandRefused(
                f"Document {number} cannot be brought back: it is not there, or another was forgotten since."
            ) from error
    else:
        return CommandResult("It is back in memory.", cards=(entry_of(back),))
    return CommandResult("It is in memory; there is nothing to undo.", cards=(entry_of(known),))


COMMAND = Command(
    "restore-document", "bring back the document forgotten last", run, "N", "Bringing document {} back…"
)
