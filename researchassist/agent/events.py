"""What happens in a turn, as typed events in their order. They carry plain values only."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TurnStarted:
    """The person's message is committed."""

    turn_id: str
    thread_id: str
    new: bool = True


@dataclass(frozen=True)
class ContextRead:
    """Memory was read (again): tokens by segment, and the tools offered."""

    tokens: Mapping[str, int]
    tools: tuple[str, ...]


@dataclass(frozen=True)
class PassagesGiven:
    """Passages that the answer may cite from now on: what each is called, by its id."""

    labels: Mapping[str, str]


@dataclass(frozen=True)
class TextAdded:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True)
class TextSetAside:
    """The text since the last such event was not the answer: the model calls tools after it."""


@dataclass(frozen=True)
class TextWithdrawn:
    """The text since the model was asked was reasoning and is to be taken back."""


@dataclass(frozen=True)
class ModelRetrying:
    """The model server failed for a passing reason; it is asked again in `seconds`."""

    reason: str
    seconds: float


@dataclass(frozen=True)
class ToolStarted:
    """A tool is about to run; `doing` says in words what for, `at` when by the monotonic clock."""

    call_id: str
    name: str
    arguments: str
    doing: str
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class ToolProgress:
    """A tool that takes long says how far it has come."""

    call_id: str
    words: str


@dataclass(frozen=True)
class ToolEnded:
    """A tool has run and was logged."""

    call_id: str
    name: str
    status: str
    seconds: float
    log_id: str


@dataclass(frozen=True)
class TurnEnded:
    """The turn is over for the person. `error` is a sentence where there is no answer."""

    outcome: str
    answer: str
    error: str


@dataclass(frozen=True)
class HelperEnded:
    """A step after the answer went well or badly."""

    name: str
    state: Mapping[str, Any]


TurnEvent = (
    TurnStarted
    | ContextRead
    | PassagesGiven
    | TextAdded
    | TextSetAside
    | TextWithdrawn
    | ModelRetrying
    | ToolStarted
    | ToolProgress
    | ToolEnded
    | TurnEnded
    | HelperEnded
)
