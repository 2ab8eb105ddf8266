"""/forget-document N: take a document out of memory, with a way back."""

from researchassist.agent.ingest import forget_document

from .definition import Action, Command, CommandContext, CommandResult
from .entries import entry_of, number_in


def run(context: CommandContext, argument: str) -> CommandResult:
    """The document that is gone, and the button that brings it back."""
    gone = forget_document(context.assistant, number_in(argument, "/forget-document"))
    undo = (Action("Undo", f"/restore-document {gone.id}"),)
    text = "Forgotten: nothing of it is found any more. Undo works until the next document is forgotten."
    return CommandResult(text, cards=(entry_of(gone, actions=undo),))


COMMAND = Command("forget-document", "take a document out of memory", run, "N", "Forgetting document {}…")
