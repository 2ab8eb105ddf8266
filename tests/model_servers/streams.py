"""Builders of streams: what servers send, event by event."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fake_model_server import Raw, chunk

DONE = b"data: [DONE]\n\n"


def texts(*pieces: str, finish: str | None = "stop", done: bool = True) -> Raw:
    """A reply of text in these pieces."""
    return raw([{"content": piece} for piece in pieces], finish=finish, done=done)


def call(name: str, *arguments: str, finish: str = "tool_calls", call_id: str = "call_1") -> Raw:
    """A reply that calls one tool, its arguments in these pieces; none: no arguments field at all."""
    first: dict[str, Any] = {"index": 0, "id": call_id, "type": "function", "function": {"name": name}}
    deltas: list[Mapping[str, Any]] = [{"role": "assistant", "content": None}, {"tool_calls": [first]}]
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in arguments]
    return raw(deltas, finish=finish)


def raw(
    deltas: Sequence[Mapping[str, Any]], *, finish: str | None = "stop", done: bool = True, pause: float = 0.0
) -> Raw:
    """A stream of these deltas."""
    pieces = [chunk(delta) for delta in deltas]
    if finish is not None:
        pieces.append(chunk({}, finish=finish))
    return Raw([*pieces, DONE] if done else pieces, pause)
