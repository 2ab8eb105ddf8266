"""Searching the knowledge base at the model's wish, with filters and paging."""

from researchassist.errors import ToolError
from researchassist.memory.readings import mark_of

from .definition import ToolContext, working

_MOST = 50
# Room for the fence around the result and the line that says how to go on.
_ROOM = 300


@working("Looking through the documents for “{query}”")
def archival_search(  # noqa: PLR0913  (the filters are what the model reads)
    context: ToolContext,
    query: str,
    document: str = "",
    author: str = "",
    kind: str = "",
    year_from: int = 0,
    year_to: int = 0,
    start: int = 1,
) -> str:
    """Search all documents in memory (papers, notes, web pages) for passages, by meaning and words.

    Use it when the passages already shown are not enough: another question, one document only, or
    more of what was found. Each passage comes with the mark it is cited by, its document and page.

    Args:
        query: What to look for, in plain words.
        document: Only documents whose title, source or id contains this.
        author: Only documents by an author whose name contains this.
        kind: Only documents of this kind, such as pdf, markdown, html, arxiv abstract.
        year_from: Only documents published in this year or later.
        year_to: Only documents published in this year or earlier.
        start: The number of the first passage to show; the last line says where the next ones start.
    """
    if not query.strip():
        raise ToolError("Say what to search for.")
    if not 1 <= start <= _MOST:
        raise ToolError(f"start must be between 1 and {_MOST}.")
    memory = context.assistant.memory
    reading = memory.search_documents(
        query, _MOST + 1, document=document, author=author, kind=kind, years=(year_from, year_to)
    )
    found, notes = reading.records, "".join(f"\n\n{note}" for note in reading.notes)
    if not found:
        return "No passage in memory matches." + notes
    room = context.assistant.options.tool_excerpt_chars - _ROOM - len(notes)
    shown: list[str] = []
    for passage in found[start - 1 : _MOST]:
        page = f", page {passage.metadata['page']}" if passage.metadata.get("page") else ""
        text = f"{mark_of(passage.id)} {passage.title}{page} (from {passage.source})\n{passage.text}"
        if shown and len(text) > room:
            break
        shown.append(text)
        room -= len(text) + 2
    if not shown:
        return f"There are no more than {len(found)} passages."
    after = start + len(shown)
    more = f"\n\n[More were found; they start at start={after}.]" if after <= min(len(found), _MOST) else ""
    return "\n\n".join(shown) + more + notes
