"""One turn of the assistant, top to bottom.

`stream_turn` yields typed events and `call_agent` drains it; the loop inside is loop.py's. Memory
is read and written here by rule, never at the model's discretion (promise 5).
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from researchassist.errors import ModelError, ResearchAssistError, TurnRefused
from researchassist.memory.models import Outcome
from researchassist.memory.records import TurnRecord
from researchassist.memory.stores.turns import Place
from researchassist.memory.text import storable

from . import budget, recall
from .allowances import allowances
from .assistant import Assistant
from .context import assemble, new_fence
from .events import TurnEnded, TurnEvent, TurnStarted
from .loop import work
from .ownership import INTERRUPTED, owner, settle_interrupted
from .run import Run
from .sessions import catch_up
from .writeback import finish, finish_without_answer, learn

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TurnRequest:
    """What starts a turn. One `key`, one turn: sent again, it finds the turn it started.

    With `retry_of` the question of that unanswered turn is asked again; `query` is then unused. With
    `edit_of` the query takes that message's place, which is superseded with all that followed it.
    `branch` is that of the page it was sent from; on another one it is refused.
    """

    thread_id: str
    query: str = ""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    retry_of: str | None = None
    edit_of: str | None = None
    branch: int | None = None


@dataclass(frozen=True)
class AgentTurnResult:
    """What `call_agent` returns; `completed` is false only at the iteration cap (R13)."""

    thread_id: str
    final_answer: str
    steps: tuple[str, ...]
    completed: bool
    turn: TurnRecord

    def as_json(self) -> dict[str, Any]:
        """The shape AgentTurnResult of 000 section 3."""
        return {
            "thread_id": self.thread_id,
            "final_answer": self.final_answer,
            "steps": list(self.steps),
            "completed": self.completed,
        }


def call_agent(assistant: Assistant, query: str, thread_id: str) -> AgentTurnResult:
    """Runs one turn to its end, the steps after the answer included.

    Raises TurnRefused where it was not started and ModelError where it has no answer.
    """
    turn_id = ""
    for event in stream_turn(assistant, TurnRequest(thread_id, query)):
        if isinstance(event, TurnStarted):
            turn_id = event.turn_id
    turn = assistant.memory.turn(turn_id)
    if turn.answer is None:
        raise ModelError(turn.error)
    completed = turn.outcome != Outcome.CAPPED
    return AgentTurnResult(thread_id, turn.answer.content, turn.steps, completed, turn)


def stream_turn(
    assistant: Assistant, request: TurnRequest, stopped: Callable[[], bool] = lambda: False
) -> Iterator[TurnEvent]:
    """Runs one turn: commits the question, reads memory, guards the budget, asks the model, runs its
    calls, keeps the answer, and learns from it.

    Raises TurnRefused before anything is stored; after that every end is an event and a row.
    `stopped` is looked at several times a second.
    """
    turn, new = _open(assistant, request)
    if not new:
        yield TurnStarted(turn.id, turn.thread_id, new)
        return
    run: Run | None = None
    ended = False
    try:
        yield TurnStarted(turn.id, turn.thread_id)
        run = _begin(assistant, turn, stopped, edited=request.edit_of is not None)
        yield from work(run)
        turn = finish(run)
        ended = True
        yield TurnEnded(turn.outcome, turn.answer.content if turn.answer else "", turn.error)
    except ResearchAssistError as error:
        ended = True
        yield _failed(assistant, turn, run, str(error))
    except Exception as error:
        log.exception("A turn failed.")
        ended = True
        yield _failed(
            assistant, turn, run, f"Something went wrong inside ResearchAssist ({type(error).__name__})."
        )
    finally:
        if not ended:
            finish_without_answer(assistant, turn, run, Outcome.INTERRUPTED, INTERRUPTED)
    yield from learn(assistant, turn.id)


def _open(assistant: Assistant, request: TurnRequest) -> tuple[TurnRecord, bool]:
    """Commits the person's message with its turn; False where this form has started it before."""
    memory, options = assistant.memory, assistant.options
    known = memory.turn_by_key(request.key)
    if known is not None:
        return known, False
    settle_interrupted(assistant)
    row = {"key": request.key, "owner": owner(), "model": assistant.model.name}
    if request.retry_of is not None:
        return memory.reopen_turn(request.retry_of, **row), True
    query = storable(request.query)
    if not query.strip():
        raise TurnRefused("Write a question first.", reason="empty")
    allowance = allowances(options)["question"]
    if budget.estimate(query) > allowance:
        raise TurnRefused(
            f"This message is about {budget.estimate(query):,} tokens; a question may be {allowance:,}. "
            "Nothing was sent and your text is still here. Store it as a document and ask about it instead.",
            reason="too_long",
        )
    try:
        place = Place(request.edit_of, request.branch)
        return memory.open_turn(thread_id=request.thread_id, query=query, place=place, **row), True
    except TurnRefused:
        # The form that runs there may be this very one, sent twice at once.
        known = memory.turn_by_key(request.key)
        if known is None:
            raise
        return known, False


def _begin(assistant: Assistant, turn: TurnRecord, stopped: Callable[[], bool], *, edited: bool) -> Run:
    """The five reads of the turn, and its clock; what the last session told is there by then, or soon,
    and what was remembered of a question that was `edited` is gone."""
    catch_up(assistant)
    if edited:
        assistant.memory.settle_facts()
    fence = new_fence()
    deadline = time.monotonic() + assistant.options.turn_seconds
    context = assemble(assistant.memory, turn.question, fence)
    recall.touch(assistant.memory, context.given_facts)
    return Run(assistant, turn, stopped, context, deadline, fence)


def _failed(assistant: Assistant, turn: TurnRecord, run: Run | None, sentence: str) -> TurnEnded:
    """Ends the turn with a sentence; the message and what was written so far stay."""
    finish_without_answer(assistant, turn, run, Outcome.FAILED, sentence)
    return TurnEnded(Outcome.FAILED, "", sentence)
