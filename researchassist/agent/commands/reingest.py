"""/reingest N: read a document's source again."""

from researchassist.agent.ingest import reingest

from .definition import Command, CommandContext, CommandResult
from .entries import entries_of, heading_of, number_in


def run(context: CommandContext, argument: str) -> CommandResult:
    """The document's card, as it is now."""
    done = reingest(context.assistant, number_in(argument, "/reingest"), progress=context.tell)
    cards, rows = entries_of(done)
    return CommandResult(heading_of(done), cards, rows)


COMMAND = Command("reingest", "read a document’s source again", run, "N", "Reading document {} again…")
