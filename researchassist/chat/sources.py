"""Where an answer comes from, as the page shows it: its cited passages, or those it was given.

What was in the context is in the turn's manifest (agent/run.py); nothing else is ever a source.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString

from researchassist.agent.passages import cited, label
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import TurnRecord

from . import markdown
from .highlight import Piece, pieces

Passage = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """A passage beside an answer. `number` is 0 where it was given and not cited."""

    number: int
    label: str
    address: str
    gone: bool


@dataclass(frozen=True)
class Sourced:
    """An answer's text and what it rests on. `none` says that no passage was near enough."""

    html: SafeString = markdown.NOTHING
    cited: tuple[Source, ...] = ()
    given: tuple[Source, ...] = ()
    none: bool = False


@dataclass(frozen=True)
class OpenedPassage:
    """One passage with what of it the claim rests on. `link` is its address in the web, if it has one."""

    turn_id: str
    thread_id: str
    number: int
    passage: Passage
    claim: str
    text: Sequence[Piece]
    link: str
    gone: bool


def sources_gone(memory: MemoryManager, turns: Collection[TurnRecord]) -> set[str]:
    """Which sources of the passages that these turns were given have been deleted since."""
    passages = (one for turn in turns for one in _given(turn))
    return memory.sources_gone({str(one["source"]) for one in passages if one.get("source")})


def sourced(turn: TurnRecord, text: str, gone: Collection[str]) -> Sourced:
    """A turn's answer with its sources; `gone` as `sources_gone` gives it."""
    given = _given(turn)
    rendered = _rendered(turn, text)
    shown = {
        str(one["id"]): Source(0, label(one), _address(turn, one), one["source"] in gone) for one in given
    }
    numbered = tuple(
        Source(number, shown[one].label, shown[one].address, shown[one].gone)
        for number, one in enumerate(rendered.cited, start=1)
    )
    none = turn.used.get("has_source") is False
    return Sourced(rendered.html, numbered, () if numbered or none else tuple(shown.values()), none)


def opened(
    memory: MemoryManager, turn: TurnRecord, passage_id: str, mark: int | None
) -> OpenedPassage | None:
    """A passage that a turn was given, opened at what its mark ends; None where it was not given."""
    passage = next((one for one in _given(turn) if str(one["id"]) == passage_id), None)
    if passage is None:
        return None
    rendered = _rendered(turn, turn.answer.content if turn.answer else turn.partial_text)
    claim = rendered.claims[mark] if mark is not None and mark < len(rendered.claims) else ""
    source = str(passage["source"])
    links = [document.url for document in memory.documents(source=source)]
    return OpenedPassage(
        turn_id=turn.id,
        thread_id=turn.thread_id,
        number=rendered.cited.index(passage_id) + 1 if passage_id in rendered.cited else 0,
        passage=passage,
        claim=claim,
        text=pieces(str(passage["text"]), claim),
        link=next((link for link in links if link.lower().startswith(("http://", "https://"))), ""),
        gone=bool(memory.sources_gone({source})) if source else False,
    )


def as_markdown(turn: TurnRecord) -> str:
    """A turn's answer to be pasted elsewhere: marks counted from 1, and what they stand for."""
    text, used = cited(turn.answer.content if turn.answer else "", _citable(turn))
    lines = [
        f"[{number}] {label(one)}" + (f" ({one['source']})" if one["source"] != one["title"] else "")
        for number, one in enumerate(used, start=1)
    ]
    return "\n".join([text.rstrip("\n"), "", "Sources:", *lines, ""]) if lines else text


def _given(turn: TurnRecord) -> Sequence[Passage]:
    """The passages a turn was given, where it kept which they were."""
    return [one for one in turn.used.get("given", {}).get("knowledge_base", ()) if one.get("id")]


def _citable(turn: TurnRecord) -> Sequence[Passage]:
    """Those that may be a source: none where none was near enough, whatever the model wrote."""
    return [] if turn.used.get("has_source") is False else _given(turn)


def _rendered(turn: TurnRecord, text: str) -> markdown.Rendered:
    labels = {str(one["id"]): label(one) for one in _citable(turn)}
    return markdown.render_answer(text, labels, reverse("chat:passage", args=[turn.id, 0])[:-1])


def _address(turn: TurnRecord, passage: Passage) -> str:
    return reverse("chat:passage", args=[turn.id, passage["id"]])
