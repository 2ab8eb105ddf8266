"""Title, authors, year and ids of a paper, from a PDF's metadata and its first page. By rule, no model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .extracted import year_of
from .text import clean

_STAMP = re.compile(
    r"arXiv:((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)"
    r"(?:\s*\[[^\]]*\])?\s*(\d{1,2} \w{3} \d{4})?"
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>]+[^\s\"'<>\].,;:)]")
_DATED = re.compile(
    r"(?:©|\(c\)|copyright|published|accepted|conference|proceedings|journal)[^\n]{0,80}", re.I
)
_NO_TITLE = re.compile(r"^(untitled|microsoft word|.*\.(docx?|tex|dvi|pdf|indd)$|arxiv:|\W*$)", re.I)
_NAME = re.compile(r"^[^\W\d_][\w.'’-]*(?: (?:[^\W\d_][\w.'’-]*)){1,4}$")
_INSTITUTION = re.compile(
    r"universit|institut|department|laborator|school|college|research|inc\b|google|microsoft|cent(?:er|re)"
    r"|faculty",
    re.I,
)
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_LONGEST_TITLE = 300
_MOST_AUTHORS = 50


@dataclass(frozen=True)
class FrontPage:
    """What a paper says of itself."""

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    identifiers: Mapping[str, str] = field(default_factory=dict)


def read(page: Mapping[str, Any], metadata: Mapping[str, str], text: str) -> FrontPage:
    """What is known from the first page (with its type sizes) and the file's metadata."""
    sizes = [(str(line).strip(), float(size)) for line, size in page.get("sizes", ())]
    start, end = _title_lines(sizes)
    shown = " ".join(line for line, _ in sizes[start:end])
    title = clean(metadata.get("title", "")).strip()
    if not title or _NO_TITLE.match(title):
        title = clean(shown).strip()
    authors = _names(clean(metadata.get("author", "")).replace(";", ","))
    stamp = _STAMP.search(" ".join([*map(str, page.get("side", ())), text[:3000]]))
    identifiers = {"arxiv": stamp.group(1)} if stamp else {}
    if doi := _DOI.search(text[:5000]):
        identifiers["doi"] = doi.group()
    return FrontPage(
        title=title[:_LONGEST_TITLE],
        authors=authors or _authors_below(sizes[end:]),
        published=_published(stamp.group(2) if stamp else "", text, metadata),
        identifiers=identifiers,
    )


def _title_lines(sizes: Sequence[tuple[str, float]]) -> tuple[int, int]:
    """Where the lines in the largest type begin and end; none where the page has one size only."""
    letters = [
        (n, size) for n, (line, size) in enumerate(sizes) if len(line) > 3 and not line.startswith("arXiv:")
    ]
    if not letters or len({size for _, size in sizes}) < 2:
        return (0, min(len(sizes), 1))
    largest = max(size for _, size in letters)
    start = next(n for n, size in letters if size == largest)
    end = start
    while end < len(sizes) and sizes[end][1] > 0.97 * largest:
        end += 1
    return start, end


def _authors_below(sizes: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    """The names in the lines between title and abstract."""
    found: list[str] = []
    for line, _ in sizes[:8]:
        if line.casefold().lstrip().startswith(("abstract", "introduction", "1 ")) or len(line) > 200:
            break
        if "@" not in line and not _INSTITUTION.search(line):
            found += [name for name in _names(line) if name not in found]
    return tuple(found)


def _names(line: str) -> tuple[str, ...]:
    """The names of persons in a line of them."""
    line = re.sub(r"[\d*†‡§¶∗]+", " ", line)
    parts = [" ".join(part.split()) for part in re.split(r",|;| and | & |·|\|", line)]
    names = [part for part in parts if _NAME.match(part) and all(w[:1].isupper() for w in part.split()[-1:])]
    return tuple(dict.fromkeys(name for name in names if name[:1].isupper()))[:_MOST_AUTHORS]


def _published(stamped: str | None, text: str, metadata: Mapping[str, str]) -> str:
    """The year, or the date of the arXiv stamp."""
    if stamped:
        return _iso(stamped)
    for match in _DATED.finditer(text[:5000]):
        if year := year_of(match.group()):
            return year
    return year_of(metadata.get("creationDate", "").removeprefix("D:")[:4])


def _iso(stamped: str) -> str:
    """The date of an arXiv stamp ("12 Feb 2024") in figures; its year where it cannot be read."""
    day, month, year = stamped.split()
    number = _MONTHS.find(month.lower())
    return f"{year}-{number // 3 + 1:02d}-{int(day):02d}" if number >= 0 and number % 3 == 0 else year
