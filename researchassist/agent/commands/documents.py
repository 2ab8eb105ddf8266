"""/documents [WORDS]: what is in memory, each with the number that other commands know it by."""

from researchassist.memory.records import DocumentRecord

from .definition import Action, Command, CommandContext, CommandResult
from .entries import counted, entry_of

_MOST = 50


def run(context: CommandContext, argument: str) -> CommandResult:
    """A numbered list, newest first; with words only documents whose title, author or source has them."""
    documents = context.assistant.memory.documents()
    words = argument.casefold().split()
    found = [one for one in documents if all(word in _text(one) for word in words)]
    if not found:
        none = "No document has these words." if documents else "No documents are in memory yet."
        return CommandResult(f"{none} Drop a file on the page, or try /arxiv.")
    text = f"{counted(len(found), 'document')}, newest first."
    if len(found) > _MOST:
        text = f"The newest {_MOST} of {len(found):,} documents. With words it lists those that have them."
    rows = tuple(
        entry_of(one, actions=(Action("Forget", f"/forget-document {one.id}"),)) for one in found[:_MOST]
    )
    return CommandResult(text, rows=rows)


def _text(document: DocumentRecord) -> str:
    return " ".join((document.title, *document.authors, document.source, document.kind)).casefold()


COMMAND = Command("documents", "list the documents in memory", run, "[WORDS]", "Listing documents…")
