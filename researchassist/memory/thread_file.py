"""A whole thread as one JSON document: what `export_thread` writes and `import_thread` reads.

Owns the shape (docs/thread-file.md describes it) and what must hold in one. Messages and tool logs are
numbered from 1 in their order, so that the document means the same in any database.
"""

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from .models import Outcome, Privacy
from .text import storable

FORMAT = "researchassist-thread"
VERSION = 1


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError where a value is none that JSON has, such as NaN."""
    json.dumps(value, allow_nan=False)
    return value


Text = Annotated[str, AfterValidator(storable)]
Json = Annotated[dict[str, Any], AfterValidator(_plain)]
Id = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,64}$")]
TurnId = Annotated[str, Field(pattern=r"^[0-9A-Za-z]{1,32}$")]
SummaryId = Annotated[str, Field(pattern=r"^[0-9a-f]{1,8}$")]


class _Line(BaseModel):
    """One entry; what is not named here is refused, so that nothing is lost without a word."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FileMessage(_Line):
    """One message. `follows` is the message it follows; `superseded_at` is set where its branch was left."""

    number: int
    follows: int | None
    role: Literal["user", "assistant"]
    content: Text
    timestamp: AwareDatetime
    metadata: Json = {}
    summary: SummaryId | None = None
    superseded_at: AwareDatetime | None = None


class FileTurn(_Line):
    """One turn: the messages that are its question and answer, how it ended, and what it used."""

    id: TurnId
    question: int
    answer: int | None
    outcome: Outcome
    partial_text: Text = ""
    error: Text = ""
    model: Annotated[Text, Field(max_length=200)] = ""
    steps: list[Text] = []
    used: Json = {}
    helpers: Json = {}
    started_at: AwareDatetime
    finished_at: AwareDatetime | None = None


class FileToolLog(_Line):
    """One tool call, whole. `number` is what `used` names it by."""

    number: int
    turn: TurnId | None
    tool_call_id: Annotated[Text, Field(max_length=200)] | None
    tool_name: Annotated[Text, Field(max_length=200)]
    tool_args: Text
    result: Text
    error_message: Text | None
    metadata: Json = {}
    timestamp: AwareDatetime


class FileSummary(_Line):
    """One summary and the messages it was made from."""

    id: SummaryId
    summary: Text
    description: Annotated[Text, Field(max_length=300)]
    full_content: Text
    messages: list[int] = []
    timestamp: AwareDatetime


class FileWorkflow(_Line):
    """How one question was worked on."""

    turn: TurnId | None
    query: Text
    steps: list[Text]
    answer_excerpt: Annotated[Text, Field(max_length=200)]
    success: bool
    timestamp: AwareDatetime


class FileCommand(_Line):
    """One run of a command in the composer."""

    id: TurnId
    name: Annotated[Text, Field(max_length=32)]
    argument: Text = ""
    status: Literal["running", "done", "failed", "interrupted"]
    result: Json = {}
    error: Text = ""
    started_at: AwareDatetime
    finished_at: AwareDatetime | None = None


class FileSource(_Line):
    """A document that answers were given passages of."""

    source: Text
    title: Text
    authors: list[Text] = []
    published: Text = ""
    kind: Text = ""
    url: Text = ""


class ThreadFile(_Line):
    """The whole document. Raises ValidationError where its parts do not belong together."""

    format: Literal["researchassist-thread"]
    version: Literal[1]
    exported_at: AwareDatetime
    id: Id
    title: Annotated[Text, Field(max_length=80)]
    titled_by: Literal["", "words", "model", "person"]
    sample: bool = False
    privacy: Privacy = Privacy.OPEN
    created_at: AwareDatetime
    updated_at: AwareDatetime
    messages: list[FileMessage]
    turns: list[FileTurn] = []
    tool_logs: list[FileToolLog] = []
    summaries: list[FileSummary] = []
    workflows: list[FileWorkflow] = []
    commands: list[FileCommand] = []
    sources: list[FileSource] = []

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        _check_messages(self.messages)
        roles = {message.number: message.role for message in self.messages}
        turns, summaries = [turn.id for turn in self.turns], [one.id for one in self.summaries]
        for name, ids in (
            ("turns", turns),
            ("summaries", summaries),
            ("commands", [c.id for c in self.commands]),
        ):
            _need(len(set(ids)) == len(ids), f"two {name} have one id")
        for turn in self.turns:
            _need(roles.get(turn.question) == "user", f"turn {turn.id} has no question")
            _need(
                turn.answer is None or roles.get(turn.answer) == "assistant",
                f"turn {turn.id}: no such answer",
            )
        answers = [turn.answer for turn in self.turns if turn.answer is not None]
        _need(len(set(answers)) == len(answers), "one message answers two turns")
        _need(sum(turn.outcome == Outcome.RUNNING for turn in self.turns) <= 1, "two turns are running")
        _need(_numbered(log.number for log in self.tool_logs), "tool_logs are not numbered from 1")
        named = {log.turn for log in self.tool_logs} | {flow.turn for flow in self.workflows}
        _need(named <= {*turns, None}, "a tool log or workflow is of a turn that is not there")
        covered = {one.id: set(one.messages) for one in self.summaries}
        _need(all(numbers <= roles.keys() for numbers in covered.values()), "a summary is of no message")
        for message in self.messages:
            under = message.summary is None or message.number in covered.get(message.summary, ())
            _need(under, f"message {message.number} is not in its summary")
        return self


def _check_messages(messages: list[FileMessage]) -> None:
    """Numbers and times rise, and what is not superseded is one line from the beginning."""
    _need(_numbered(message.number for message in messages), "messages are not numbered from 1")
    last: FileMessage | None = None
    active: int | None = None
    for message in messages:
        _need(last is None or message.timestamp > last.timestamp, f"message {message.number} is not later")
        _need(message.follows is None or 0 < message.follows < message.number, "a message follows none")
        if message.superseded_at is None:
            _need(
                message.follows == active, f"message {message.number} is not on the one branch that is shown"
            )
            active = message.number
        last = message


def _numbered(numbers: Iterable[int]) -> bool:
    return all(number == place for place, number in enumerate(numbers, 1))


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
