"""What reading gives, whatever was read: clean text with its pages, and what is known about it."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Extracted:
    """One document's text and metadata.

    `pages` are the offsets in `text` at which its pages begin, empty where it has none. `warning`
    says what was guessed or is missing. `key` tells the entries of one file apart. `identifiers`
    are ids by kind ("arxiv", "doi").
    """

    text: str
    title: str
    kind: str
    pages: tuple[int, ...] = ()
    authors: tuple[str, ...] = ()
    published: str = ""
    url: str = ""
    version: str = ""
    warning: str = ""
    key: str = ""
    identifiers: Mapping[str, str] = field(default_factory=dict)

    def page_of(self, offset: int) -> int | None:
        """The page, from 1, that `offset` stands on."""
        return bisect_right(self.pages, offset) if self.pages else None


def year_of(text: str) -> str:
    """The first four digits of `text` that are a year, else nothing."""
    for start in range(len(text) - 3):
        four = text[start : start + 4]
        if four.isascii() and four.isdigit() and "1800" <= four <= "2100":
            return four
    return ""
