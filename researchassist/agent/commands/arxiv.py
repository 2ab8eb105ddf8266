"""/arxiv QUERY: search arXiv; what is found is kept as abstracts, and each paper can be saved whole."""

from researchassist.agent.acquire import Searched, search_papers
from researchassist.agent.keep import ABSTRACT
from researchassist.errors import CommandRefused

from .definition import Action, Command, CommandContext, CommandResult, Entry
from .entries import counted, names


def run(context: CommandContext, argument: str) -> CommandResult:
    """Numbered papers with a button that saves each."""
    query = argument.strip()
    if not query:
        raise CommandRefused("Say what to search for: /arxiv virtual context management")
    found = search_papers(context.assistant, query)
    if not found.papers:
        return CommandResult("arXiv has no paper for these words. Try fewer or other words.")
    text = f"{counted(len(found.papers), 'paper')} of arXiv. Their abstracts are in memory now. {found.note}"
    return CommandResult(text.strip(), rows=_rows(found))


def _rows(found: Searched) -> tuple[Entry, ...]:
    rows = []
    for number, (paper, kept) in enumerate(zip(found.papers, found.kept, strict=True), 1):
        whole = kept.document.kind != ABSTRACT
        known = f"in memory: {counted(kept.document.pages, 'page') or 'its text'}" if whole else ""
        facts = (names(paper.authors), paper.published[:10], f"arXiv {paper.arxiv_id}{paper.version}", known)
        rows.append(
            Entry(
                title=paper.title,
                number=str(number),
                facts=tuple(fact for fact in facts if fact),
                text=paper.abstract,
                url=paper.entry_id,
                actions=() if whole else (Action("Save", f"/save {paper.arxiv_id}{paper.version}"),),
            )
        )
    return tuple(rows)


COMMAND = Command("arxiv", "search arXiv for papers", run, "QUERY", "Searching arXiv for “{}”…")
