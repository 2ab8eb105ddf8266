"""A deterministic stand-in for a language model: plays replies in order and keeps what it was asked."""

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from researchassist.errors import ModelError
from researchassist.llm.types import Message, Reply, ToolCall, ToolSchema

# A reply is a text, a Reply, an exception to raise, or a function of the messages that gives one.
Script = str | Reply | Exception | Callable[[Sequence[Message]], "str | Reply"]


@dataclass(frozen=True)
class Request:
    """What the model was asked."""

    messages: list[Message]
    tools: list[ToolSchema]
    max_tokens: int | None

    @property
    def system(self) -> str:
        return str(self.messages[0]["content"])

    @property
    def user(self) -> str:
        return str(self.messages[1]["content"])

    @property
    def tool_names(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.tools]


class ScriptedLLM:
    """Plays `replies` in order; the last one again and again where `forever` is set."""

    def __init__(self, *replies: Script, name: str = "scripted", forever: bool = False) -> None:
        self.name = name
        self.replies = list(replies)
        self.forever = forever
        self.requests: list[Request] = []
        # Set it to hold every reply back until the test lets it go.
        self.gate: threading.Event | None = None

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        self.requests.append(Request(copy.deepcopy(list(messages)), list(tools), max_tokens))
        if self.gate is not None:
            self.gate.wait(30)
        if not self.replies:
            raise ModelError("The script has no more replies.")
        script = self.replies[0] if self.forever and len(self.replies) == 1 else self.replies.pop(0)
        if isinstance(script, Exception):
            raise script
        reply = script(messages) if callable(script) else script
        reply = Reply(reply) if isinstance(reply, str) else reply
        for start in range(0, len(reply.text), 12):
            yield reply.text[start : start + 12]
        yield reply


def calls(*named: tuple[str, str], text: str = "") -> Reply:
    """A reply that calls tools: pairs of name and arguments as JSON text."""
    made = tuple(ToolCall(f"call_{i}_{name}", name, args) for i, (name, args) in enumerate(named))
    return Reply(text, made, "tool_calls")


def user_content(requests: Sequence[Request]) -> list[Any]:
    """The user content of each request."""
    return [request.user for request in requests]
