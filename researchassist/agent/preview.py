"""What the next turn of a thread would be given, read as a turn reads it, without running one."""

import time
from datetime import UTC, datetime

from researchassist.memory.records import MessageRecord, TurnRecord

from .assistant import Assistant
from .context import assemble, new_fence
from .run import Run


def preview(assistant: Assistant, thread_id: str, question: str) -> Run:
    """The state of a turn for this question as it is before the model is asked; nothing is written."""
    now, fence = datetime.now(UTC), new_fence()
    message = MessageRecord(id="", thread_id=thread_id, role="user", content=question, timestamp=now)
    run = Run(
        assistant=assistant,
        turn=_turn(message, assistant.model.name),
        stopped=lambda: False,
        context=assemble(assistant.memory, message, fence),
        deadline=time.monotonic(),
        fence=fence,
    )
    run.offer()
    return run


def _turn(question: MessageRecord, model: str) -> TurnRecord:
    """A turn as it would be opened."""
    return TurnRecord(
        id="",
        thread_id=question.thread_id,
        key="",
        question=question,
        answer=None,
        outcome="running",
        owner="",
        partial_text="",
        error="",
        model=model,
        steps=(),
        used={},
        helpers={},
        started_at=question.timestamp,
        finished_at=None,
    )
