"""Cutting a document's text into passages.

Bounded by characters and by the embedding model's tokens, so that nothing is cut off unseen
before it is embedded. The token counter is handed in: this module knows no model.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from semantic_text_splitter import MarkdownSplitter, TextSplitter

# Text without spaces takes the splitter quadratic time, so it sees pieces of this size.
_PIECE_CHARS = 100_000


@dataclass(frozen=True)
class Chunk:
    """A passage; `text` is exactly the document's text from `start` to `end`."""

    text: str
    start: int
    end: int


def split(
    text: str,
    *,
    chars: int,
    overlap: int,
    max_tokens: int,
    count_tokens: Callable[[str], int],
    markdown: bool = False,
) -> list[Chunk]:
    """Passages of `text` in order, at heading, paragraph, sentence or word borders.

    Each has at most `chars` characters and `max_tokens` tokens; neighbours share at most
    `overlap` characters. Blank passages are left out.
    """

    def size(piece: str) -> int:
        # One unit that is over the capacity exactly where either bound is passed.
        return max(math.ceil(len(piece) * max_tokens / chars), count_tokens(piece))

    make = MarkdownSplitter if markdown else TextSplitter
    splitter = make.from_callback(size, max_tokens, overlap=overlap * max_tokens // chars)
    chunks = []
    for base in range(0, len(text), _PIECE_CHARS):
        for start, piece in splitter.chunk_indices(text[base : base + _PIECE_CHARS]):
            if piece.strip():
                chunks.append(Chunk(piece, base + start, base + start + len(piece)))
    return chunks
