"""/save ID: take one paper or page that the person names into memory."""

from researchassist.agent.ingest import ingest_reference
from researchassist.errors import CommandRefused

from .definition import Command, CommandContext, CommandResult
from .entries import entries_of, heading_of


def run(context: CommandContext, argument: str) -> CommandResult:
    """The paper's card."""
    if not argument.strip():
        raise CommandRefused("Say what to save, an arXiv id, a DOI or a link: /save 2310.08560")
    done = ingest_reference(context.assistant, argument.strip(), progress=context.tell)
    cards, rows = entries_of(done)
    return CommandResult(heading_of(done), cards, rows)


COMMAND = Command(
    "save", "read a paper or page into memory: an arXiv id, a DOI or a link", run, "ID", "Looking for {}…"
)
