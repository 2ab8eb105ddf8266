"""Cutting a document's text into passages.

Bounded by characters and by the embedding model's tokens, so that nothing is cut off unseen
before it is embedded. The token counter is handed in: this module knows no model.
"""

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from semantic_text_splitter import MarkdownSplitter, TextSplitter

# Text without spaces takes the splitter quadratic time, so it sees pieces of this size.
_PIECE_CHARS = 100_000
_NEARBY = 1000
_JOINER = "\u200d"
# More than any tokenizer makes of one.
_TOKENS_A_CHARACTER = 8


@dataclass(frozen=True)
class Chunk:
    """A passage; `text` is exactly the document's text from `start` to `end`."""

    text: str
    start: int
    end: int


def split(  # noqa: PLR0913  (the bounds of a passage)
    text: str,
    *,
    chars: int,
    overlap: int,
    max_tokens: int,
    count_tokens: Callable[[str], int],
    markdown: bool = False,
    pages: Sequence[int] = (),
) -> list[Chunk]:
    """Passages of `text` in order, at heading, paragraph, sentence or word borders.

    None reaches over one of `pages`, the offsets at which pages begin.

    Each has at most `chars` characters and `max_tokens` tokens; neighbours share at most
    `overlap` characters. Blank passages are left out.
    """

    # The splitter takes a piece of as many characters as the capacity to fit, unasked; so one unit
    # is several tokens and several characters.
    capacity = max(min(chars, max_tokens) // _TOKENS_A_CHARACTER, 1)

    def size(piece: str) -> int:
        # Over the capacity exactly where either bound is passed.
        return math.ceil(capacity * max(len(piece) / chars, count_tokens(piece) / max_tokens))

    make = MarkdownSplitter if markdown else TextSplitter
    splitter = make.from_callback(size, capacity, overlap=overlap * capacity // chars)
    chunks = []
    for base, end in _pieces(text, pages):
        for start, piece in splitter.chunk_indices(text[base:end]):
            if piece.strip():
                chunks.append(Chunk(piece, base + start, base + start + len(piece)))
    return chunks


def _pieces(text: str, pages: Sequence[int]) -> Iterator[tuple[int, int]]:
    """What the splitter is given at a time: a page, or as much of it as takes it reasonable time."""
    borders = sorted({0, *pages, len(text)})
    for begin, end in pairwise(borders):
        start = begin
        while end - start > _PIECE_CHARS:
            cut = _border(text, start + _PIECE_CHARS)
            yield start, cut
            start = cut
        yield start, end


def _border(text: str, place: int) -> int:
    """The last place before `place` where no word or character is cut, if there is one nearby."""
    nearby = text[place - _NEARBY : place]
    if (blank := max(nearby.rfind("\n"), nearby.rfind(" "))) >= 0:
        return place - _NEARBY + blank + 1
    found = place
    while found > place - _NEARBY and not _may_cut(text[found - 1], text[found]):
        found -= 1
    return found if found > place - _NEARBY else place


def _may_cut(before: str, after: str) -> bool:
    """Whether no one character, as a reader sees it, is made of both."""
    joins = before == _JOINER or after == _JOINER or "\U0001f3fb" <= after <= "\U0001f3ff"
    return not (joins or unicodedata.category(after).startswith("M"))
