"""The passages that stood in a turn's context: the marks by which an answer cites them, and whether
one was near enough to be a source.

A passage's number is its row's: it is the same in every turn, thread and tool log, so that a mark
which is copied from an earlier answer can never mean another passage.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import PassageRecord

MEMORY = "memory"

# "[p4]", "[p4, p7]", "[P4; 7]", "[passage 4]"; a link's words are none.
_MARK = re.compile(
    r"\[\s*p(?:assages?)?\s*(?P<ids>\d{1,18}(?:\s*[,;]\s*p?\s*\d{1,18}){0,9})\s*\](?!\()", re.IGNORECASE
)
_ID = re.compile(r"\d+")
# How much of a passage's beginning must stand in a tool's result for it to have been given.
_BEGINNING = 200
# What of an answer is compared with the passages: as much as an embedding model takes in.
_ANSWER_CHARS = 2_000


class GivenPassages:
    """Each passage once, in the order in which they came into the context."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[PassageRecord, str]] = {}
        self._told = 0

    def add(self, passages: Iterable[PassageRecord], by: str = MEMORY) -> bool:
        """Adds those that are new; `by` names what brought them. Whether there were any."""
        before = len(self._given)
        for passage in passages:
            self._given.setdefault(passage.id, (passage, by))
        return len(self._given) > before

    def add_from(self, excerpt: str, by: str, memory: MemoryManager, question: str) -> bool:
        """Adds the passages that a tool's result holds, as the model was given it."""
        marks = dict.fromkeys(one for found in _MARK.finditer(excerpt) for one in _ids(found))
        ids = [one for one in marks if one not in self._given]
        found = memory.passages(ids, near=question) if ids else ()
        return self.add((one for one in found if one.text[:_BEGINNING] in excerpt), by)

    def new_labels(self) -> dict[str, str]:
        """What each is called that came since this was asked for the last time, by its id."""
        new = list(self._given.values())[self._told :]
        self._told = len(self._given)
        return {one.id: label(_described(one, by)) for one, by in new}

    def as_json(self) -> list[dict[str, Any]]:
        """All of them as the manifest keeps them."""
        return [_described(one, by) for one, by in self._given.values()]

    def nearness(self, answer: str, memory: MemoryManager) -> float:
        """How near the nearest passage is to the question or, where none is near enough, to what was
        answered: "and why?" is near to nothing, and its answer may rest on a passage all the same."""
        nearest = max((one.score for one, _ in self._given.values()), default=0.0)
        if not self._given or not answer.strip() or nearest >= memory.options.source_cosine:
            return nearest
        again = memory.passages(list(self._given), near=answer[:_ANSWER_CHARS])
        return max([nearest, *(one.score for one in again)])


def mark_at(text: str, place: int) -> tuple[list[str], int] | None:
    """The passage ids of the mark that stands at `place` of a text, and where it ends."""
    found = _MARK.match(text, place)
    return (_ids(found), found.end()) if found else None


def _ids(mark: re.Match[str]) -> list[str]:
    return list(dict.fromkeys(str(int(one)) for one in _ID.findall(mark["ids"])))


def _described(passage: PassageRecord, by: str) -> dict[str, Any]:
    return {
        "id": passage.id,
        "by": by,
        "title": passage.title,
        "source": passage.source,
        "page": passage.metadata.get("page"),
        "passage": passage.metadata.get("chunk_id", 0) + 1,
        "of": passage.metadata.get("num_chunks", 1),
        "score": round(passage.score, 3),
        "text": passage.text,
    }


def label(passage: Mapping[str, Any]) -> str:
    """What a passage of the manifest is called in one line: its document, and where in it."""
    if passage["page"]:
        return f"{passage['title']}, page {passage['page']}"
    return f"{passage['title']}, passage {passage['passage']}" if passage["of"] > 1 else passage["title"]


def cited(text: str, given: Sequence[Mapping[str, Any]]) -> tuple[str, list[Mapping[str, Any]]]:
    """An answer with its marks as `[1]`, `[2]` … in their order, and the passages they stand for.

    Marks of passages that were not `given` stay as they are.
    """
    by_id = {str(one.get("id")): one for one in given}
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        ids = _ids(found)
        if not all(one in by_id for one in ids):
            return found.group()
        return "".join(f"[{numbers.setdefault(one, len(numbers) + 1)}]" for one in ids)

    marked = _MARK.sub(numbered, text)
    return marked, [by_id[one] for one in numbers]
