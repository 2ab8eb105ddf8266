"""Which process runs a turn, and telling a turn that still runs from one whose process died."""

import os

import psutil

from researchassist.memory.models import Outcome

from .assistant import Assistant

INTERRUPTED = "The answer was interrupted before it was complete. Nothing you wrote is lost; try again."


def owner() -> str:
    """This process: its id and start time, since ids are used again (always 1 in a container)."""
    pid = os.getpid()
    return f"{pid}@{psutil.Process(pid).create_time():.2f}"


def is_alive(name: str) -> bool:
    """Whether the process of that `owner()` still runs."""
    pid, _, started = name.partition("@")
    try:
        return f"{psutil.Process(int(pid)).create_time():.2f}" == started
    except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError):
        return False


def settle_interrupted(assistant: Assistant) -> int:
    """Ends the turns whose process died as interrupted; says how many there were."""
    dead = [turn for turn in assistant.memory.running_turns() if not is_alive(turn.owner)]
    for turn in dead:
        assistant.memory.end_turn_without_answer(
            turn.id, outcome=Outcome.INTERRUPTED, error=INTERRUPTED, partial_text=turn.partial_text
        )
    return len(dead)
