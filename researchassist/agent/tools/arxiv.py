"""arXiv: finding papers and taking one into memory (R14, D15)."""

from researchassist.agent import acquire
from researchassist.errors import ToolError

from .definition import ToolContext, working


@working("Searching arXiv for “{query}”")
def search_arxiv(context: ToolContext, query: str) -> str:
    """Search arXiv for papers and get up to eight candidates with title, authors, date and abstract.

    Use it to find a paper or papers on a topic that are not in memory yet. What it finds is stored
    in memory as well. The result is a JSON array; save_paper(arxiv_id) fetches one in full.

    Args:
        query: Words of the title or topic, author names, or an arXiv id.
    """
    if not query.strip():
        raise ToolError("Say what to search for.")
    found = acquire.search_papers(context.assistant, query)
    return acquire.as_json(found.papers) + (f"\n[{found.note}]" if found.note else "")


@working("Fetching arXiv {arxiv_id} and reading it into memory")
def save_paper(context: ToolContext, arxiv_id: str) -> str:
    """Fetch a paper from arXiv and store its full text in memory, page by page.

    Use it when the person asks to save, read or download a paper, or when its abstract is not
    enough. It takes up to a minute. Afterwards archival_search finds its passages.

    Args:
        arxiv_id: The arXiv id, such as 2310.08560 or hep-th/9901001, with or without a version.
    """
    done = acquire.save_paper(context.assistant, acquire.wanted(arxiv_id), progress=context.tell)
    document = done.document
    size = f"{document.pages} pages, {document.passages} passages" if document.pages else "its abstract only"
    already = "Already in memory" if done.status == "unchanged" else "Stored"
    notes = " ".join(note for note in (document.warning, done.note) if note)
    return f"{already}: “{document.title}” (arXiv {arxiv_id}, {size}). {notes}".strip()
