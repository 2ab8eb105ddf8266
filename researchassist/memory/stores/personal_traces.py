"""Where personal memory left traces outside its own tables, and how they are taken out when it is erased.

What answers used, how their steps went, and the calls by which the model wrote to core memory. What was
said, and what was answered, stays: that is the conversation.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

from researchassist.memory.models import ToolLogMemory, Turn, WorkflowMemory

_GIVEN = ("core", "profile", "facts", "lessons")
_HELPERS = ("facts", "lesson")
_TOOLS = ("core_memory_append", "core_memory_replace")
_STEP = re.compile(rf"^({'|'.join(_TOOLS)})\(.*", re.DOTALL)
# As much of a question as a turn's record holds.
_QUERY_CHARS = 160
_ERASED = "Erased with personal memory."


def take_out() -> None:
    """Takes all of it out, in the transaction under way."""
    asked = {query[:_QUERY_CHARS] for query in WorkflowMemory.objects.values_list("query", flat=True)}
    for turn in Turn.objects.only("used", "helpers", "steps").iterator():
        _turn(turn, asked)
    for row in WorkflowMemory.objects.filter(text__contains="core_memory_").defer("embedding").iterator():
        steps = _steps(row.steps)
        text = row.text
        for old, new in zip(row.steps, steps, strict=True):
            text = text.replace(old, new)
        WorkflowMemory.objects.filter(pk=row.pk).update(steps=steps, text=text)
    ToolLogMemory.objects.filter(tool_name__in=_TOOLS).update(
        tool_args="{}", result=_ERASED, result_preview=_ERASED, error_message=None, metadata={}
    )


def _turn(turn: Turn, asked: Collection[str]) -> None:
    """Takes what was remembered out of a turn's record of what its answer used and what came after it,
    and of work on other questions than those that are still `asked` in some conversation."""
    before = (turn.used, turn.helpers, turn.steps)
    used: dict[str, Any] = dict(turn.used)
    if given := used.get("given"):
        used["given"] = {name: value for name, value in given.items() if name not in _GIVEN}
        if flows := given.get("workflow"):
            known = [one for one in flows if one.get("query") in asked]
            used["given"]["workflow"] = [{**one, "steps": _steps(one.get("steps", ()))} for one in known]
    if calls := used.get("calls"):
        used["calls"] = [_call(one) for one in calls]
    turn.used, turn.steps = used, _steps(turn.steps)
    turn.helpers = {
        name: {"status": "skipped"} if name in _HELPERS else state for name, state in turn.helpers.items()
    }
    if (turn.used, turn.helpers, turn.steps) != before:
        turn.save(update_fields=["used", "helpers", "steps"])


def _steps(steps: Sequence[str]) -> list[str]:
    return [_STEP.sub(r"\1(…)", step) for step in steps]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    if call.get("name") not in _TOOLS:
        return call
    return {name: value for name, value in call.items() if name not in ("doing", "arguments")}
