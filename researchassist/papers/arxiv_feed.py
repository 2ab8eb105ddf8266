"""Reading arXiv's Atom feed: bytes in, papers out. What is no proper feed is an error, never "no results"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from researchassist.errors import WebError

from .identify import arxiv_id
from .text import clean

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
ABSTRACT_CHARS = 2500
DOWN = "arXiv is refusing requests or down; try again later."


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One paper as arXiv describes it; `arxiv_id` is without the version."""

    arxiv_id: str
    version: str
    title: str
    authors: tuple[str, ...]
    published: str
    abstract: str
    pdf_url: str = ""
    categories: tuple[str, ...] = ()
    doi: str = ""

    @property
    def entry_id(self) -> str:
        """The address of its page."""
        return f"https://arxiv.org/abs/{self.arxiv_id}{self.version}"

    def as_json(self) -> dict[str, object]:
        """What the search tool returns of it (AC19)."""
        return {
            "arxiv_id": self.arxiv_id + self.version,
            "entry_id": self.entry_id,
            "title": self.title,
            "authors": list(self.authors),
            "published": self.published,
            "abstract": self.abstract[:ABSTRACT_CHARS],
        }


@dataclass(frozen=True)
class Feed:
    """One page of results; `total` is how many arXiv says there are."""

    total: int
    papers: tuple[Paper, ...]


def parse(data: bytes) -> Feed:
    """The papers of a feed. Raises WebError where arXiv says it is an error, or it is no feed."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise WebError(DOWN) from error
    if root.tag != f"{_ATOM}feed":
        raise WebError(DOWN)
    papers = tuple(_papers(root))
    total = _text(root, _TOTAL)
    return Feed(int(total) if total.isdigit() else len(papers), papers)


def _papers(root: etree._Element) -> Iterator[Paper]:
    for entry in root.iter(f"{_ATOM}entry"):
        address = _text(entry, f"{_ATOM}id")
        if "/api/errors" in address:
            raise WebError(f"arXiv answered with an error: {_text(entry, f'{_ATOM}summary')[:200]}")
        found = arxiv_id(address)
        if found is None:
            continue
        authors = (_text(author, f"{_ATOM}name") for author in entry.iter(f"{_ATOM}author"))
        yield Paper(
            arxiv_id=found.bare,
            version=found.version,
            title=_text(entry, f"{_ATOM}title"),
            authors=tuple(name for name in authors if name),
            published=_text(entry, f"{_ATOM}published"),
            abstract=_text(entry, f"{_ATOM}summary"),
            pdf_url=_pdf_link(entry),
            categories=tuple(one.get("term") or "" for one in entry.iter(f"{_ATOM}category")),
            doi=_text(entry, f"{_ARXIV}doi"),
        )


def _pdf_link(entry: etree._Element) -> str:
    for link in entry.iter(f"{_ATOM}link"):
        if link.get("title") == "pdf" or link.get("type") == "application/pdf":
            return str(link.get("href") or "")
    return ""


def _text(element: etree._Element, tag: str) -> str:
    """A child's text on one line."""
    found = element.find(tag)
    text = "" if found is None else "".join(str(part) for part in found.itertext())
    return re.sub(r"\s+", " ", clean(text)).strip()
