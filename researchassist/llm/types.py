"""What goes to a language model and what comes back, whoever serves it."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

# A chat message or a tool in OpenAI's format, ready to be sent as JSON.
Message = dict[str, Any]
ToolSchema = dict[str, Any]

STOP = "stop"
TOOL_CALLS = "tool_calls"
LENGTH = "length"
CONTENT_FILTER = "content_filter"


@dataclass(frozen=True)
class ToolCall:
    """One call the model asks for. `arguments` is the text it wrote, meant to be a JSON object."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counted them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Reply:
    """A whole reply: text, or tool calls, or both. `finish_reason` is the server's word."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = STOP
    usage: Usage | None = None


@dataclass(frozen=True)
class Retrying:
    """The request failed for a passing reason; it is sent again when the stream is read on, which
    the reader does after `seconds`."""

    reason: str
    seconds: float


@dataclass(frozen=True)
class Withdrawn:
    """The text so far was reasoning and not the answer: it is to be taken back."""


# What a stream yields: text (empty where the model is at work unseen), what befell it, the whole reply.
Piece = str | Retrying | Withdrawn | Reply


class LanguageModel(Protocol):
    """A chat model with native tool calls."""

    @property
    def name(self) -> str:
        """The model's name, as its server knows it."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[Piece]:
        """Asks the model: yields the answer's text piece by piece, then the whole Reply, last.

        Raises ModelError where the server refuses, fails or cannot be reached, and ContextTooLong
        where it refuses the request for its length.
        """


def complete(model: LanguageModel, prompt: str, *, max_tokens: int) -> str:
    """The text a model answers to one prompt, without tools; raises ModelError."""
    messages: list[Message] = [{"role": "user", "content": prompt}]
    text = ""
    for piece in model.stream(messages, max_tokens=max_tokens):
        if isinstance(piece, Retrying):
            time.sleep(piece.seconds)
        if isinstance(piece, Reply):
            text = piece.text
    return text
