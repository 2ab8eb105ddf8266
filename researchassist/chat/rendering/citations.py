"""Marks of sources: `[p412]` in an answer is a mark where passage 412 stood in the turn's context.

Any other is text: nothing is shown as a source that was not given. Marks are numbered for the reader
from 1, in the order in which an answer first uses each passage.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

CITATION = "citation"

# "[p4]", "[p4, p7]", "[P4; 7]", "[passage 4]".
_MARK = re.compile(
    r"\[\s*(?:passages?\s*)?p?\s*(?P<ids>\d{1,18}(?:\s*[,;]\s*p?\s*\d{1,18}){0,9})\s*\](?!\()", re.IGNORECASE
)
_NAMED = re.compile(r"\[\s*p", re.IGNORECASE)
_ID = re.compile(r"\d+")


@dataclass
class Citing:
    """The passages an answer may cite, and those it has cited so far.

    `given` names each passage by its id, for people who cannot see; `address` is where a passage is
    opened, with the id to be put at its end, and empty while the answer is still being written.
    """

    given: Mapping[str, str]
    address: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    marks: int = 0

    def number(self, passage_id: str) -> int:
        """The reader's number of a passage: the next one where it is cited for the first time."""
        return self.numbers.setdefault(passage_id, len(self.numbers) + 1)


def add_citations(md: MarkdownIt) -> None:
    """Teaches a parser to find marks, before it takes their brackets for a link."""
    md.inline.ruler.before("link", CITATION, _citation)


def _citation(state: StateInline, silent: bool) -> bool:
    citing: Citing | None = state.env.get("citing")
    if citing is None or state.src[state.pos] != "[" or state.linkLevel > 0:
        return False
    found = ids_at(state.src, state.pos)
    if not found or not all(one in citing.given for one in found[0]):
        return False
    if not silent:
        for one in found[0]:
            token = state.push(CITATION, "a", 0)
            token.meta = {"id": one, "number": citing.number(one), "at": citing.marks}
            citing.marks += 1
    state.pos = found[1]
    return True


def ids_at(text: str, place: int) -> tuple[list[str], int] | None:
    """The passage ids of the mark that stands at `place`, and where it ends."""
    found = _MARK.match(text, place)
    if found is None or not _NAMED.match(text, place):
        return None
    return list(dict.fromkeys(str(int(one)) for one in _ID.findall(found["ids"]))), found.end()
