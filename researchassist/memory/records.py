"""What leaves the stores: frozen records of plain values, never rows of the ORM.

`as_json()` of the seven gives the shapes of 000 section 3; timestamps are aware UTC.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Role = Literal["user", "assistant"]
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class MessageRecord:
    """One message of a thread. `parent_id` is what it follows; `superseded_at` is None while it is part
    of the conversation (see stores/branches.py)."""

    id: str
    thread_id: str
    role: str
    content: str
    timestamp: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict)
    summary_id: str | None = None
    parent_id: str | None = None
    superseded_at: datetime | None = None

    def as_json(self) -> Json:
        """The shape ConversationRecord."""
        return {
            "id": self.id,
            "thread_id": self.thread_id,
            "role": self.role,
            "content": self.content,
            "timestamp": self.timestamp.isoformat(),
            "metadata": dict(self.metadata),
            "summary_id": self.summary_id,
        }


@dataclass(frozen=True, kw_only=True)
class PassageRecord:
    """One passage of the knowledge base; `score` is its cosine to the query it was found by."""

    id: str
    text: str
    title: str
    source: str
    metadata: Mapping[str, Any]
    document_id: int | None = None
    score: float = 0.0


@dataclass(frozen=True, kw_only=True)
class WorkflowRecord:
    """How one earlier question was worked on."""

    id: str
    query: str
    steps: tuple[str, ...]
    answer_excerpt: str
    num_steps: int
    success: bool
    timestamp: datetime
    score: float = 0.0

    def as_json(self) -> Json:
        """The shape WorkflowRecord."""
        return {
            "query": self.query,
            "steps": list(self.steps),
            "answer_excerpt": self.answer_excerpt,
            "num_steps": self.num_steps,
            "success": self.success,
            "timestamp": self.timestamp.isoformat(),
        }


@dataclass(frozen=True, kw_only=True)
class EntityRecord:
    """One person, place or system."""

    id: str
    name: str
    type: str
    description: str
    mentions: int = 1
    score: float = 0.0

    def as_json(self) -> Json:
        """The shape EntityRecord."""
        return {"name": self.name, "type": self.type, "description": self.description}


@dataclass(frozen=True, kw_only=True)
class SummaryRecord:
    """One summary. `full_content` is the exact text it was made from."""

    id: str
    summary: str
    description: str
    full_content: str
    thread_id: str | None
    timestamp: datetime
    score: float = 0.0

    def as_json(self) -> Json:
        """The shape SummaryRecord."""
        return {
            "id": self.id,
            "summary": self.summary,
            "description": self.description,
            "full_content": self.full_content,
            "thread_id": self.thread_id,
        }


@dataclass(frozen=True, kw_only=True)
class ToolRecord:
    """One tool as the toolbox store keeps it."""

    name: str
    description: str
    signature: str
    parameters: Mapping[str, Any]
    queries: tuple[str, ...]
    text: str
    augmented: bool
    source_hash: str
    score: float = 0.0

    def as_json(self) -> Json:
        """The shape RetrievedToolSchema: the tool in OpenAI's function format."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.parameters),
            },
        }


@dataclass(frozen=True, kw_only=True)
class ToolLogRecord:
    """One call of a tool, whole."""

    id: str
    thread_id: str
    tool_call_id: str | None
    tool_name: str
    tool_args: str
    result: str
    result_preview: str
    status: str
    error_message: str | None
    metadata: Mapping[str, Any]
    timestamp: datetime

    def as_json(self) -> Json:
        """The shape ToolLogRecord."""
        return {
            "id": self.id,
            "thread_id": self.thread_id,
            "tool_call_id": self.tool_call_id,
            "tool_name": self.tool_name,
            "tool_args": self.tool_args,
            "result": self.result,
            "result_preview": self.result_preview,
            "status": self.status,
            "error_message": self.error_message,
            "metadata": dict(self.metadata),
            "timestamp": self.timestamp.isoformat(),
        }


@dataclass(frozen=True, kw_only=True)
class ThreadRecord:
    """One conversation in the side list. `titled_by` is words, model or person; `branch` counts the
    changes of branch."""

    id: str
    title: str
    sample: bool
    created_at: datetime
    updated_at: datetime
    titled_by: str = ""
    branch: int = 0
    privacy: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnRecord:
    """One run of the harness."""

    id: str
    thread_id: str
    key: str
    question: MessageRecord
    answer: MessageRecord | None
    outcome: str
    owner: str
    partial_text: str
    error: str
    model: str
    steps: tuple[str, ...]
    used: Mapping[str, Any]
    helpers: Mapping[str, Any]
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class CommandRunRecord:
    """One run of a command in the composer; `status` is running, done, failed or interrupted."""

    id: str
    thread_id: str
    key: str
    name: str
    argument: str
    status: str
    result: Mapping[str, Any]
    error: str
    owner: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class DocumentRecord:
    """One document and how many passages it has. `id` is the number the person knows it by."""

    id: int
    source: str
    kind: str
    title: str
    authors: tuple[str, ...]
    published: str
    file_hash: str
    state: str
    warning: str
    sample: bool
    passages: int
    pages: int = 0
    url: str = ""
    version: str = ""
    identifiers: Mapping[str, str] = field(default_factory=dict)
    updated_at: datetime | None = None
    forgotten_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class CoreWrite:
    """One write to core memory: the whole text before and after, and what it rests on.

    `author` is "model" or "person"; `quote` is the span of the person's message a write by the model
    rests on, `undoes` the number of the write that an undo took back.
    """

    number: int
    operation: str
    author: str
    before: str
    after: str
    quote: str
    message_id: str | None
    undoes: int | None
    tokens_before: int
    tokens_after: int
    timestamp: datetime


@dataclass(frozen=True, kw_only=True)
class RunningSummary:
    """A paged thread's running summary as it is after one eviction, the `number`-th of its thread.

    `person` and `others` are exact identifiers kept from what the person and what the assistant said,
    `left_out` counts those that did not fit. `messages` were evicted at tokens_before; `problem` says why
    no model folded them in, if so.
    """

    number: int
    prose: str
    person: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    left_out: int = 0
    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class SessionRecord:
    """One session: "open", "ended" (it waits to be folded into the profile) or "folded".

    `attempts` counts the failures to fold it in, `error` is the last of them; `words` is how many the
    profile had after it.
    """

    id: int
    state: str
    started_at: datetime
    ended_at: datetime | None
    attempts: int
    error: str
    words: int | None
    folded_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ProfileVersion:
    """One version of the profile, and the ids of the sessions that were folded in to make it."""

    number: int
    text: str
    words: int
    sessions: tuple[int, ...]
    timestamp: datetime
