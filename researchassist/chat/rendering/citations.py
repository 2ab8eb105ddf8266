"""Marks of sources: `[p412]` in an answer is a mark where passage 412 stood in the turn's context.

Any other is text: nothing is shown as a source that was not given. Marks are numbered for the reader
from 1, in the order in which an answer first uses each passage.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from researchassist.agent.passages import mark_at

CITATION = "citation"

_LONGEST_CLAIM = 800
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_EMPHASIS = re.compile(r"\*+|~~|`+")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_MARKS_AT_END = re.compile(r"(?:\s*\[p[^\[\]]{0,60}\])*\s*$", re.IGNORECASE)


@dataclass
class Citing:
    """The passages an answer may cite, and those it has cited so far.

    `given` names each passage by its id, for people who cannot see; `address` is where a passage is
    opened, with the id to be put at its end, and empty while the answer is still being written.
    `claims` has, for each mark in order, the sentence that it ends.
    """

    given: Mapping[str, str]
    address: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    claims: list[str] = field(default_factory=list)

    def number(self, passage_id: str) -> int:
        """The reader's number of a passage: the next one where it is cited for the first time."""
        return self.numbers.setdefault(passage_id, len(self.numbers) + 1)


def _claim(before: str) -> str:
    """The last sentence of what stands before a mark in its paragraph, as words alone."""
    sentence = _SENTENCES.split(_MARKS_AT_END.sub("", before))[-1]
    return _EMPHASIS.sub("", _LINK.sub(r"\1", sentence)).strip()


def add_citations(md: MarkdownIt) -> None:
    """Teaches a parser to find marks, before it takes their brackets for a link."""
    md.inline.ruler.before("link", CITATION, _citation)


def _citation(state: StateInline, silent: bool) -> bool:
    citing: Citing | None = state.env.get("citing")
    if citing is None or state.src[state.pos] != "[" or state.linkLevel > 0:
        return False
    found = mark_at(state.src, state.pos)
    if not found or not all(one in citing.given for one in found[0]):
        return False
    if not silent:
        # A mark stands close to what it ends.
        state.pending = state.pending.rstrip(" ")
        for one in found[0]:
            token = state.push(CITATION, "a", 0)
            token.meta = {"id": one, "number": citing.number(one), "at": len(citing.claims)}
            before = state.src[max(state.pos - _LONGEST_CLAIM, 0) : state.pos]
            citing.claims.append(_claim(before))
    state.pos = found[1]
    return True
