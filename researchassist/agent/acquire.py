"""Search-and-store (R14, D13): what is found outside becomes memory in the same call.

Owns arXiv searches, saving one paper, DOIs, links and web searches. A link is fetched only where the
person gave it: no tool reaches `save_link`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from researchassist.errors import NotAReference, UnreadableFile, WebError
from researchassist.papers import formats, pdf
from researchassist.papers.arxiv_feed import Paper
from researchassist.papers.extracted import Extracted
from researchassist.papers.identify import ArxivId, arxiv_id, is_ambiguous, reference
from researchassist.papers.pdf import Progress
from researchassist.papers.tavily import Result

from .keep import ABSTRACT, Found, Ingested, hash_of, keep, keep_all, keep_file

if TYPE_CHECKING:
    from .assistant import Assistant

SEARCH_RESULTS = 8
_NO_ARXIV_ID = (
    "{!r} is no arXiv id. Ids look like 2310.08560, 2310.08560v2 or hep-th/9901001; an address of "
    "arxiv.org does too."
)


@dataclass(frozen=True)
class Searched:
    """What arXiv has for a query, now in memory too; `note` says where it gave fewer than it has."""

    papers: tuple[Paper, ...]
    kept: tuple[Ingested, ...]
    note: str


def search_papers(assistant: "Assistant", query: str, limit: int = SEARCH_RESULTS) -> Searched:
    """Searches arXiv and keeps the abstracts. Raises WebError where arXiv is refusing or down."""
    if (wanted := arxiv_id(query)) is not None:
        papers, note = [assistant.sources.arxiv.paper(wanted)], ""
    else:
        papers, note = assistant.sources.arxiv.search(query, limit)
    kept = keep_all(assistant, [_abstract(paper) for paper in papers])
    return Searched(tuple(papers), tuple(kept), note)


def save_paper(assistant: "Assistant", wanted: ArxivId, *, progress: Progress | None = None) -> Ingested:
    """Keeps a paper's text, or its abstract alone where it has no PDF that can be read.

    Raises PaperNotFound, and WebError where arXiv is refusing or down.
    """
    tell = progress or _silent
    tell(f"Asking arXiv for {wanted}")
    paper = assistant.sources.arxiv.paper(wanted)
    source = f"arxiv:{paper.arxiv_id}"
    file_hash = hash_of(f"{paper.arxiv_id}{paper.version} pdf")
    for known in assistant.memory.documents(source=source):
        if known.file_hash == file_hash and known.state == "ready":
            return Ingested("unchanged", known)
    tell(f"Fetching “{paper.title}”")
    data = assistant.sources.arxiv.pdf(paper)
    if data is None:
        return keep(assistant, _abstract(paper, missing="There is no PDF of this paper; only its abstract."))
    try:
        read = pdf.extract(data, f"{paper.arxiv_id}.pdf", assistant.limits, progress)
    except UnreadableFile as error:
        return keep(assistant, _abstract(paper, missing=f"Only its abstract; {error}"))
    tell(f"Storing “{paper.title}”")
    return keep(assistant, Found(source, file_hash, _described(read, paper)))


def save_reference(assistant: "Assistant", text: str, *, progress: Progress | None = None) -> Ingested:
    """Keeps what a text the person gave refers to; raises NotAReference before anything is asked."""
    found = reference(text)
    if found is None:
        if is_ambiguous(text):
            raise NotAReference(f"{text.strip()!r} needs its archive, such as hep-th/{text.strip()}.")
        raise NotAReference(f"{text.strip()[:200]!r} is no arXiv id, DOI or link.")
    if found.kind == "arxiv":
        return save_paper(assistant, wanted(found.value), progress=progress)
    if found.kind == "doi":
        read = assistant.sources.works.fetch(found.value)
        return keep(assistant, Found(f"doi:{found.value}", hash_of(read.text), read))
    return save_link(assistant, found.value, progress=progress)


def save_link(assistant: "Assistant", url: str, *, progress: Progress | None = None) -> Ingested:
    """Keeps the page or file at an address that the person gave. Raises WebError or UnreadableFile."""
    (progress or _silent)("Fetching the page")
    reply = assistant.sources.links.get(url)
    if reply.status != 200:
        raise WebError(f"The address answers with an error ({reply.status}).", status=reply.status)
    name = reply.url.partition("?")[0].rstrip("/").rsplit("/", 1)[-1] or "page"
    found = formats.extract(reply.data, name, assistant.limits, progress)
    shown = [replace(read, url=read.url or reply.url.partition("#")[0]) for read in found]
    return keep_file(assistant, url.partition("#")[0][:1000], hash_of(reply.data), shown)


def search_web(assistant: "Assistant", query: str, limit: int) -> list[Result]:
    """Searches the web and keeps each result. Raises WebError, also where no key is set."""
    if assistant.sources.tavily is None:
        raise WebError("Web search is not set up.")
    results = assistant.sources.tavily.search(query, limit)
    for result in results:
        if result.content.strip():
            metadata = {
                "url": result.url,
                "score": result.score,
                "query": query,
            }
            read = Extracted(text=result.content, title=result.title, kind="web result", url=result.url)
            keep(assistant, Found(result.url[:1000], hash_of(result.content), read, metadata=metadata))
    return results


def wanted(text: str) -> ArxivId:
    """The arXiv id that `text` is; raises NotAReference with a sentence about ids."""
    found = arxiv_id(text)
    if found is None:
        raise NotAReference(_NO_ARXIV_ID.format(text[:200]))
    return found


def as_json(papers: Sequence[Paper]) -> str:
    """The array the search tool gives (AC19)."""
    return json.dumps([paper.as_json() for paper in papers], ensure_ascii=False)


def _abstract(paper: Paper, missing: str = "") -> Found:
    """A paper's description as a document."""
    text = f"{paper.title}\n\n{paper.abstract}" if paper.abstract else paper.title
    read = _described(Extracted(text=text, title=paper.title, kind=ABSTRACT, warning=missing), paper)
    return Found(f"arxiv:{paper.arxiv_id}", hash_of(f"{text}{paper.version}{missing}"), read)


def _described(read: Extracted, paper: Paper) -> Extracted:
    """What was read, with what arXiv says of it."""
    identifiers = {"arxiv": paper.arxiv_id} | ({"doi": paper.doi} if paper.doi else {})
    return replace(
        read,
        title=paper.title or read.title,
        authors=paper.authors,
        published=paper.published[:10],
        url=paper.entry_id,
        version=paper.version,
        identifiers=identifiers,
    )


def _silent(_: str) -> None:
    """Tells nobody."""
