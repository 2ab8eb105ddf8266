"""Which process runs a turn, and telling a turn that still runs from one whose process died."""

import os
from typing import Any

import psutil

from researchassist.llm.types import ToolCall
from researchassist.memory.models import Outcome
from researchassist.memory.records import ToolLogRecord

from .assistant import Assistant

INTERRUPTED = "The answer was interrupted before it was complete. Nothing you wrote is lost; try again."


def owner() -> str:
    """This process: its id and start time, since ids are used again (always 1 in a container)."""
    return owner_name(os.getpid())


def owner_name(pid: int) -> str:
    """The `owner()` of the process with this id; raises psutil.NoSuchProcess where none runs."""
    process = psutil.Process(pid)
    if process.status() == psutil.STATUS_ZOMBIE:
        raise psutil.NoSuchProcess(pid)
    started = process.create_time()
    if psutil.LINUX:
        # There the start is computed from the clock and moves when it is set; since boot it does not.
        started -= psutil.boot_time()
    return f"{pid}@{started:.2f}"


def is_alive(name: str) -> bool:
    """Whether the process of that `owner()` still runs."""
    try:
        return owner_name(int(name.partition("@")[0])) == name
    except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError):
        return False


def settle_interrupted(assistant: Assistant) -> int:
    """Ends the turns whose process died as interrupted; says how many there were."""
    dead = [turn for turn in assistant.memory.running_turns() if not is_alive(turn.owner)]
    for turn in dead:
        calls = [_call(assistant, log) for log in assistant.memory.tool_logs_of_turn(turn.id)]
        assistant.memory.end_turn_without_answer(
            turn.id,
            outcome=Outcome.INTERRUPTED,
            error=INTERRUPTED,
            partial_text=turn.partial_text,
            used={"calls": calls} if calls else None,
        )
    return len(dead)


def _call(assistant: Assistant, log: ToolLogRecord) -> dict[str, Any]:
    """A call of a turn whose process died, as its manifest would have had it."""
    call = ToolCall(id=log.tool_call_id or "", name=log.tool_name, arguments=log.tool_args)
    return {
        "name": log.tool_name,
        "doing": assistant.toolbox.doing(call),
        "arguments": log.tool_args,
        "status": log.status,
        "log_id": log.id,
        "seconds": log.metadata.get("seconds", 0.0),
    }
