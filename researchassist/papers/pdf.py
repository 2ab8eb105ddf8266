"""PDF files: the child's pages put together to one text with exact page numbers, and its metadata.

Owns what is left out (lines repeated at head and foot), what is joined (hyphenated line ends), and
the sentences about what could not be read.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from researchassist.errors import NoText, UnreadableFile

from . import frontpage
from .extracted import Extracted
from .process import Limits, lines_of
from .text import clean

Progress = Callable[[str], None]

# A line at the head or foot of so many pages is no part of the text.
_REPEATED = 3
_HYPHEN = re.compile(r"(\w+)[-\u2010\u00ad]$")
_WORD = re.compile(r"\w+(?:[-\u2010]\w+)*")
_SENTENCES = {
    "password": "this PDF needs a password.",
    "damaged": "this PDF is damaged and cannot be opened.",
    "type": "this is not a PDF file.",
}
_STOPPED = {
    "time": "reading it took too long",
    "memory": "reading it took too much memory",
    "pages": "it has more pages than are read",
    "characters": "it has more text than is read",
}


@dataclass
class _Read:
    """What came from the child so far."""

    count: int = 0
    repaired: bool = False
    metadata: dict[str, str] = field(default_factory=dict)
    pages: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""


def extract(data: bytes, name: str, limits: Limits, progress: Progress | None = None) -> Extracted:
    """The text of a PDF.

    Raises UnreadableFile where it cannot be opened, and NoText where nothing on it is text.
    """
    read = _pages(data, name, limits, progress)
    texts = _texts(read.pages)
    pages, text = [], ""
    for page in texts:
        pages.append(len(text))
        text += page + "\n\n" if page else ""
    text = text.rstrip("\n")
    if not text.strip():
        raise NoText(f"{name}: {_nothing(read)}")
    first = read.pages[0] if read.pages else {}
    about = frontpage.read(first, read.metadata, texts[0] if texts else "")
    return Extracted(
        text=text,
        title=about.title or name.rsplit(".", 1)[0],
        kind="pdf",
        pages=tuple(pages),
        authors=about.authors,
        published=about.published,
        identifiers=about.identifiers,
        warning=" ".join(_warnings(read, texts)),
    )


def _pages(data: bytes, name: str, limits: Limits, progress: Progress | None) -> _Read:
    read = _Read()
    for line in lines_of("pdf", data, limits):
        if "refused" in line:
            raise UnreadableFile(f"{name}: {_SENTENCES[line['refused']]}")
        if "count" in line:
            read.count, read.repaired, read.metadata = line["count"], line["repaired"], line["metadata"]
        elif "page" in line:
            read.pages.append(line)
            if progress is not None:
                progress(f"Reading page {line['page']} of {read.count}")
        else:
            read.stopped = line.get("stopped") or line.get("ended") or read.stopped
    if not read.pages and read.stopped:
        raise UnreadableFile(f"{name}: {_STOPPED[read.stopped]}; nothing was kept.")
    return read


def _texts(pages: Sequence[dict[str, Any]]) -> list[str]:
    """The clean text of each page."""
    edges = Counter(
        key
        for page in pages
        for key in {_edge_key(line) for line in _edges(page, "head") + _edges(page, "foot")}
    )
    known = Counter(
        word.lower()
        for page in pages
        for paragraph in page.get("paragraphs", ())
        for line in paragraph
        for word in _WORD.findall(line)
    )
    texts = []
    for page in pages:
        head = [[line] for line in _edges(page, "head") if _belongs(line, edges)]
        foot = [[line] for line in _edges(page, "foot") if _belongs(line, edges)]
        paragraphs = head + page.get("paragraphs", []) + foot
        texts.append(clean("\n\n".join(_joined(paragraph, known) for paragraph in paragraphs)).strip())
    return texts


def _edges(page: dict[str, Any], where: str) -> list[str]:
    return list(page.get(where, ()))


def _edge_key(line: str) -> str:
    """What running heads have in common: all but their numbers."""
    return re.sub(r"\d+", "#", line).strip().casefold()


def _belongs(line: str, edges: Counter[str]) -> bool:
    """Whether a line at the page's edge is part of the text, not a running head or page number."""
    return edges[_edge_key(line)] < _REPEATED and not line.strip().isdigit()


def _joined(lines: Sequence[str], known: Counter[str]) -> str:
    """One paragraph as one line; a word divided at a line's end is joined.

    The hyphen stays where the document writes the word with it elsewhere.
    """
    text = ""
    for given in lines:
        line = given.strip()
        divided = _HYPHEN.search(text)
        if not (divided and line[:1].islower()):
            text += (" " if text else "") + line
            continue
        rest = _WORD.match(line)
        begun, ended = divided.group(1), rest.group() if rest else ""
        whole, hyphenated = (begun + ended).lower(), f"{begun}-{ended}".lower()
        keep = known[hyphenated] > known[whole]
        text = text[:-1] + ("-" if keep else "") + line
    return text


def _nothing(read: _Read) -> str:
    images = sum(1 for page in read.pages if page.get("image"))
    if images:
        return (
            "no text was found; its pages are images (scanned?), and text recognition (Tesseract) is not "
            "installed or found none."
        )
    if any(page.get("error") == "memory" for page in read.pages):
        return f"{_STOPPED['memory']}; nothing was kept."
    if any("error" in page for page in read.pages):
        return "it is damaged; no page could be read."
    return "there is no text in it."


def _warnings(read: _Read, texts: Sequence[str]) -> list[str]:
    """A sentence for each thing that is missing or uncertain."""
    found = []
    broken = [page for page in read.pages if "error" in page]
    empty = sum(not text for text in texts) - len(broken)
    if read.repaired:
        found.append("The file is damaged; what could be read of it was kept.")
    if broken:
        found.append(f"{len(broken)} of {read.count} pages could not be read.")
    if empty:
        scanned = " (scanned?)" if any(page.get("image") for page in read.pages) else ""
        found.append(f"{empty} of {read.count} pages have no text{scanned}.")
    if ocr := sum(1 for page in read.pages if page.get("ocr")):
        found.append(f"The text of {ocr} scanned pages was recognised and may have errors.")
    if read.stopped:
        found.append(
            f"Only the first {len(read.pages)} of {read.count} pages were read: {_STOPPED[read.stopped]}."
        )
    return found
