"""What an answer used and what was left out, as its fold-out shows it (promise 9).

Reads the manifest that agent/run.py keeps on a turn; asks memory only which sources are gone.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from researchassist.agent.allowances import LINES
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import TurnRecord

from .steps import took

_HELPERS = {
    "recall": "Indexing what was said",
    "title": "Naming the conversation",
    "entities_question": "Names in your message",
    "entities_answer": "Names in the answer",
    "condense": "Condensing older messages",
    "lesson": "What the work taught",
    "facts": "Remembering what you said of yourself",
}
_HELPER_STATES = {"ok": "done", "failed": "failed", "skipped": "skipped", "pending": "not done yet"}
# A step still pending after this long died with its process.
PENDING_FOR = timedelta(minutes=5)


@dataclass(frozen=True)
class Part:
    """One part of the request: its size, and its place in a bar 100 wide."""

    key: str
    label: str
    tokens: str
    start: float
    width: float
    given: str
    left_out: str


@dataclass(frozen=True)
class Call:
    """A tool call: what it did in words, what it was given, how it ended. `log_id` opens all of it."""

    doing: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    status: str
    took: str
    log_id: str


@dataclass(frozen=True)
class Helper:
    """A step after the answer and how it went."""

    label: str
    state: str
    status: str
    detail: str


@dataclass(frozen=True)
class Used:
    """All that the fold-out shows. `recorded` is false where the turn ended before it was known."""

    turn: TurnRecord
    recorded: bool
    parts: tuple[Part, ...]
    tokens: int
    budget: int
    share: str
    given: Mapping[str, Any]
    sources_gone: Collection[str]
    calls: tuple[Call, ...]
    tools_offered: tuple[str, ...]
    problems: tuple[str, ...]
    counted: str
    helpers: tuple[Helper, ...]
    helpers_failed: bool
    helpers_pending: bool


def used_by(memory: MemoryManager, turn: TurnRecord, *, retrying: bool = False) -> Used:
    """The manifest of a turn, made readable. `retrying`: its failed steps were just started again."""
    manifest = turn.used
    parts = tuple(_parts(manifest))
    tokens, budget = sum(manifest.get("tokens", {}).values()), int(manifest.get("budget", 0))
    helpers = tuple(_helper(name, state) for name, state in turn.helpers.items())
    recent = turn.finished_at is not None and timezone.now() - turn.finished_at < PENDING_FOR
    pending = any(helper.status == "pending" for helper in helpers)
    return Used(
        turn=turn,
        recorded="tokens" in manifest,
        parts=parts,
        tokens=tokens,
        budget=budget,
        share=f"{tokens:,} of {budget:,} tokens ({100 * tokens / (budget or 1):.1f} %)",
        given=manifest.get("given", {}),
        sources_gone=memory.sources_gone(_sources(manifest)),
        calls=tuple(_call(call) for call in manifest.get("calls", ())),
        tools_offered=tuple(manifest.get("tools_offered", ())),
        problems=tuple(manifest.get("problems", ())),
        counted=_counted_by_server(manifest.get("usage", ())),
        helpers=helpers,
        helpers_failed=any(h.status == "failed" for h in helpers) or (pending and not recent),
        helpers_pending=retrying or (pending and recent),
    )


def in_short(turn: TurnRecord) -> str:
    """The fold-out's one line: what there is to see in it."""
    manifest = turn.used
    given, calls = manifest.get("given", {}), manifest.get("calls", ())
    counts = [
        _counted(len(given.get("knowledge_base", ())), "passage"),
        _counted(len(given.get("summary", ())), "summary"),
        _counted(len(given.get("facts", ())), "fact"),
        _counted(len(calls), "tool call"),
    ]
    seconds = manifest.get("seconds")
    failed = any(state.get("status") == "failed" for state in turn.helpers.values())
    words = [
        *counts,
        f"{seconds:.1f} s" if seconds and seconds >= 0.1 else "",
        "a step failed" if failed else "",
    ]
    return " · ".join(word for word in words if word)


def _sources(manifest: Mapping[str, Any]) -> set[str]:
    """Where the passages given came from."""
    passages = manifest.get("given", {}).get("knowledge_base", ())
    return {passage["source"] for passage in passages if passage.get("source")}


def _parts(manifest: Mapping[str, Any]) -> Iterator[Part]:
    tokens: Mapping[str, int] = manifest.get("tokens", {})
    given, left_out = manifest.get("given", {}), manifest.get("left_out", {})
    total, start = sum(tokens.values()) or 1, 0.0
    for key, count in tokens.items():
        width = 100 * count / total
        yield Part(
            key=key,
            label=LINES.get(key, key.replace("_", " ").capitalize()),
            tokens=f"{count:,}",
            start=round(start, 2),
            width=round(width, 2),
            given=str(len(given[key])) if key in given else _offered(key, manifest),
            left_out=_left_out(key, left_out),
        )
        start += width


def _call(call: Mapping[str, Any]) -> Call:
    return Call(
        doing=call.get("doing") or "",
        name=call["name"],
        arguments=tuple(_arguments(str(call.get("arguments", "")))),
        status=call["status"],
        took=took(call["seconds"]),
        log_id=str(call.get("log_id") or ""),
    )


def _arguments(text: str) -> Iterator[tuple[str, str]]:
    """The arguments of a call that say something: those left empty or at zero are none."""
    for name, value in json.loads(text or "{}").items():
        if value:
            yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _counted_by_server(usage: Iterable[Mapping[str, int]]) -> str:
    """What the model's server counted over all calls of the turn, where it did."""
    calls = list(usage)
    if not calls:
        return ""
    prompt, completion = (sum(call.get(kind, 0) for call in calls) for kind in ("prompt", "completion"))
    return f"{prompt:,} tokens in and {completion:,} out, counted by the server"


def _offered(key: str, manifest: Mapping[str, Any]) -> str:
    return str(len(manifest.get("tools_offered", ()))) if key == "tools" else ""


def _left_out(key: str, left_out: Mapping[str, int]) -> str:
    if key not in left_out:
        return ""
    if key == "conversation":
        return f"{_counted(left_out[key], 'earlier message')} not shown" if left_out[key] else "nothing"
    return f"{left_out[key]:,} more in memory" if left_out[key] > 0 else "nothing"


def _helper(name: str, state: Mapping[str, Any]) -> Helper:
    status = str(state.get("status", ""))
    found = state.get("names") or state.get("summaries") or state.get("remembered") or ()
    return Helper(
        label=_HELPERS.get(name, name.replace("_", " ").capitalize()),
        state=_HELPER_STATES.get(status, status),
        status=status,
        detail=str(state.get("error") or state.get("problem") or ", ".join(map(str, found))),
    )


def _counted(count: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}" if count else ""
