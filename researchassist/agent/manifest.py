"""What is kept on a turn of what it used and of the steps after it, as types: what the page reads of it.

Owns the names and types that a file from elsewhere is checked against; run.py and writeback.py fill them.
Names that are not listed here pass as they are.
"""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict


class GivenPassage(TypedDict):
    """One passage that stood in the context."""

    id: Annotated[str, Field(pattern=r"^[0-9]{1,18}$")]
    by: NotRequired[str]
    title: str
    source: str
    page: int | None
    passage: int
    of: int
    score: float
    text: str


class Given(TypedDict, total=False):
    """What stood in each segment, in short."""

    conversation: list[dict[str, Any]]
    knowledge_base: list[GivenPassage]
    workflow: list[dict[str, Any]]
    entity: list[dict[str, Any]]
    summary: list[dict[str, Any]]


class UsedCall(TypedDict):
    """One call of a tool."""

    name: str
    doing: NotRequired[str]
    arguments: NotRequired[str]
    status: str
    log_id: NotRequired[str]
    seconds: float


class Manifest(TypedDict, total=False):
    """What an answer used and what was left out (promise 9)."""

    model: str
    budget: int
    tokens: dict[str, int]
    iterations: int
    seconds: float | None
    first_text_seconds: float | None
    usage: list[dict[str, int]]
    offloaded: bool
    given: Given
    nearness: float
    has_source: bool
    beside: int
    left_out: dict[str, int]
    tools_offered: list[str]
    calls: list[UsedCall]
    problems: list[str]
    notice: str


class HelperState(TypedDict, total=False):
    """How one step after the answer went."""

    status: str
    names: list[str]
    summaries: list[str]
    error: str
    problem: str
    attempts: int


Helpers = dict[str, HelperState]
