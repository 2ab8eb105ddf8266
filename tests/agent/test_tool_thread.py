"""A tool's call runs apart: it tells how far it is, and is given up where it takes too long."""

import threading
from collections.abc import Generator

import pytest

from researchassist.agent.tool_thread import result_of
from researchassist.agent.tools import define
from researchassist.agent.tools.definition import ToolContext
from researchassist.errors import ToolError

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def context(memory, assistant_with) -> ToolContext:
    question = memory.write_conversational_memory("How many?", "user", "alice")
    return ToolContext(assistant_with("unused"), question)


def drained(steps: Generator[str, None, str]) -> tuple[list[str], str]:
    """What was told, and the result."""
    told = []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as end:
            return told, end.value


def test_what_a_tool_tells_comes_in_order_before_its_result(context):
    def count(context: ToolContext, pages: int) -> str:
        """Count pages."""
        for page in range(1, pages + 1):
            context.tell(f"page {page} of {pages}")
        return "counted"

    told, result = drained(result_of(define(count), context, {"pages": 3}, limit=20))
    assert told == ["page 1 of 3", "page 2 of 3", "page 3 of 3"]
    assert result == "counted"


def test_what_a_tool_raises_is_raised_here(context):
    def crash() -> str:
        """Crash."""
        raise ZeroDivisionError("no owls")

    with pytest.raises(ZeroDivisionError, match="no owls"):
        drained(result_of(define(crash), context, {}, limit=20))


def test_one_that_hangs_is_given_up_at_its_limit_and_when_stopped(context):
    go = threading.Event()

    def hang() -> str:
        """Hang."""
        go.wait(20)
        return "late"

    with pytest.raises(ToolError, match=r"took longer than 0\.1 seconds"):
        drained(result_of(define(hang), context, {}, limit=0.1))
    with pytest.raises(ToolError, match="stopped by the person"):
        drained(result_of(define(hang), context, {}, limit=20, stopped=lambda: True))
    go.set()
