"""Which lines of a passage a claim rests on: those it quotes, else those that share its words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from researchassist.memory.keywords import STOP_WORDS

# So many words in a row are a quotation.
_QUOTED_WORDS = 6
# Of a claim's telling words a sentence shares at least this part, and so many, to be what it rests on.
_SHARE = 0.34
_SHARED_WORDS = 2
_MOST_SENTENCES = 2

_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True)
class Piece:
    """A stretch of a passage's text, and whether the claim rests on it."""

    text: str
    marked: bool


def pieces(text: str, claim: str) -> list[Piece]:
    """The whole of `text` in stretches, those that `claim` rests on marked."""
    spans = _quoted(text, claim) or _similar(text, claim)
    return [piece for piece in _cut(text, spans) if piece.text]


def _cut(text: str, spans: list[tuple[int, int]]) -> Iterator[Piece]:
    place = 0
    for start, end in spans:
        yield Piece(text[place:start], marked=False)
        yield Piece(text[start:end], marked=True)
        place = end
    yield Piece(text[place:], marked=False)


def _quoted(text: str, claim: str) -> list[tuple[int, int]]:
    """Where words of the claim stand in a row, as in the claim."""
    words, asked = list(_WORD.finditer(text)), list(_WORD.finditer(claim))
    matcher = SequenceMatcher(
        None, [w.group().casefold() for w in words], [w.group().casefold() for w in asked], autojunk=False
    )
    rows = (block for block in matcher.get_matching_blocks() if block.size >= _QUOTED_WORDS)
    return [(words[row.a].start(), words[row.a + row.size - 1].end()) for row in rows]


def _similar(text: str, claim: str) -> list[tuple[int, int]]:
    """The sentences that share most of the claim's telling words."""
    asked = _telling(claim)
    ranked = []
    for start, end in _sentences(text):
        shared = len(asked & _telling(text[start:end]))
        if shared >= _SHARED_WORDS and shared >= _SHARE * len(asked):
            ranked.append((-shared, start, end))
    best = [row for row in sorted(ranked) if row[0] <= min(ranked)[0] * 0.6][:_MOST_SENTENCES]
    return sorted((start, end) for _, start, end in best)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _BETWEEN_SENTENCES.finditer(text):
        yield start, found.start()
        start = found.end()
    yield start, len(text)


def _telling(text: str) -> set[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    return {word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words - STOP_WORDS}
