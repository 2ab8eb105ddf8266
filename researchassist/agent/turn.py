"""One turn of the assistant, top to bottom.

`stream_turn` is the only loop there is: it yields typed events; `call_agent` drains it. Memory
is read and written here by rule, never at the model's discretion (promise 5).
"""

import logging
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from researchassist.errors import ModelError, ResearchAssistError, TurnRefused
from researchassist.llm.types import LENGTH, Message, Reply
from researchassist.llm.watched import StreamEnded, watched
from researchassist.memory.models import Outcome
from researchassist.memory.records import TurnRecord
from researchassist.memory.text import storable

from . import budget
from .assistant import Assistant
from .context import Context, assemble, new_fence, offloaded
from .events import (
    ContextRead,
    TextAdded,
    TextSetAside,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from .ownership import INTERRUPTED, owner, settle_interrupted
from .prompts import render
from .run import Run
from .writeback import finish, finish_without_answer, learn

log = logging.getLogger(__name__)

# R13: the fixed message; a time limit ends a turn the same way.
INABILITY = (
    "I was not able to finish an answer within the limits of this turn. "
    "What the tools found is kept in memory; ask again, or ask for a smaller part of it."
)
EMPTY_ANSWER = "The model gave no answer: its reply was empty."
CUT_CALL = "This call was cut off by the token limit and was not run. Send it again, shorter."
_CHECKPOINT_SECONDS = 1.0


@dataclass(frozen=True)
class TurnRequest:
    """What starts a turn. One `key`, one turn: sent again, it finds the turn it started.

    With `retry_of` the question of that unanswered turn is asked again; `query` is then unused.
    """

    thread_id: str
    query: str = ""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    retry_of: str | None = None


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
    yield TurnStarted(turn.id, turn.thread_id, new)
    if not new:
        return
    run: Run | None = None
    ended = False
    try:
        run = _begin(assistant, turn, stopped)
        yield ContextRead(run.segment_tokens(), tuple(run.tools))
        yield from _loop(run)
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
    allowance = options.budget() * options.question_percent // 100
    if budget.estimate(query) > allowance:
        raise TurnRefused(
            f"This message is about {budget.estimate(query):,} tokens; a question may be {allowance:,}. "
            "Nothing was sent and your text is still here. Store it as a document and ask about it instead.",
            reason="too_long",
        )
    return memory.open_turn(thread_id=request.thread_id, query=query, **row), True


def _begin(assistant: Assistant, turn: TurnRecord, stopped: Callable[[], bool]) -> Run:
    """Everything before the first model call: five reads, the budget, the tools."""
    fence = new_fence()
    deadline = time.monotonic() + assistant.options.turn_seconds
    context = assemble(assistant.memory, turn.question, fence)
    run = Run(assistant, turn, stopped, context, deadline, fence)
    run.context = budget.guard(context, assistant.options, lambda given: _offload(run, given))
    run.offer()
    return run


def _offload(run: Run, context: Context) -> Context:
    """R7: condenses the thread before the question and puts references in the messages' place."""
    condensed = run.assistant.condenser.condense_thread(run.turn.thread_id, before=run.turn.question)
    run.problems += [one.problem for one in condensed if one.problem]
    return offloaded(context, [one.record for one in condensed], run.assistant.memory)


def _loop(run: Run) -> Iterator[TurnEvent]:
    """Asks and runs calls until there is an answer or a limit is reached (R13)."""
    try:
        for _ in range(run.assistant.options.max_iterations):
            reply = yield from _ask(run, run.schemas)
            if not reply.tool_calls:
                run.outcome = Outcome.ANSWERED
                if not run.text.strip():
                    raise ModelError(EMPTY_ANSWER)
                return
            yield TextSetAside()
            yield from _run_calls(run, reply)
        run.outcome = Outcome.CAPPED
    except StreamEnded as end:
        run.outcome = Outcome.STOPPED if end.why == "stopped" else Outcome.TIMED_OUT
    if run.outcome != Outcome.STOPPED:
        yield from _at_limit(run)


def _at_limit(run: Run) -> Iterator[TurnEvent]:
    """The fixed inability message, or one more request without tools (option at_cap)."""
    yield TextSetAside()
    run.text = ""
    if run.assistant.options.at_cap == "finalize":
        run.exchange.append({"role": "user", "content": render("finalize")})
        run.deadline = time.monotonic() + run.assistant.options.read_timeout
        try:
            yield from _ask(run, [])
        except StreamEnded as end:
            log.warning("The last request of a turn was given up: %s.", end.why)
    if not run.text.strip():
        run.text = INABILITY
        yield TextAdded(INABILITY)


def _ask(run: Run, tools: list[dict[str, Any]]) -> Generator[TurnEvent, None, Reply]:
    """One model call within the budget; `run.text` holds what it writes."""
    messages = _fitted(run, tools)
    run.iterations += 1
    run.text = ""
    kept = time.monotonic()
    reply = Reply()
    stream = run.assistant.model.stream(messages, tools)
    for piece in watched(stream, stopped=run.stopped, deadline=run.deadline):
        if isinstance(piece, Reply):
            reply = piece
            continue
        run.text += piece
        run.first_text = run.first_text or time.monotonic() - run.started
        yield TextAdded(piece)
        if time.monotonic() - kept > _CHECKPOINT_SECONDS:
            run.assistant.memory.checkpoint_turn(run.turn.id, run.text)
            kept = time.monotonic()
    run.text = reply.text
    run.note_reply(reply)
    return reply


def _fitted(run: Run, tools: list[dict[str, Any]]) -> list[Message]:
    """The guard before every model call: conversation first, then old tool results; never the question."""
    options = run.assistant.options
    messages = [*run.context.messages(), *run.exchange]
    if budget.monitor(budget.request_tokens(messages, tools), options).status != "critical":
        return messages
    if not run.context.offloaded and run.context.conversation.records:
        run.context = _offload(run, run.context)
    messages = [*run.context.messages(), *run.exchange]
    return budget.shrink_tool_results(messages, tools, options, run.log_ids)


def _run_calls(run: Run, reply: Reply) -> Iterator[TurnEvent]:
    """Runs every call of a reply, answers each, and reads memory anew where one changed it (R10)."""
    refusal = CUT_CALL if reply.finish_reason == LENGTH else ""
    results = []
    for call in reply.tool_calls:
        yield ToolStarted(call.name, call.arguments)
        result = run.assistant.toolbox.run(call, run.tool_context, run.fence, refusal=refusal)
        run.note_result(result)
        results.append(result)
        yield ToolEnded(call.name, result.status, result.seconds, result.log_id)
    run.exchange.append(
        {
            "role": "assistant",
            "content": reply.text or None,
            "tool_calls": [
                {
                    "id": result.call.id,
                    "type": "function",
                    "function": {"name": result.call.name, "arguments": result.arguments},
                }
                for result in results
            ],
        }
    )
    for result in results:
        run.exchange.append({"role": "tool", "tool_call_id": result.call.id, "content": result.excerpt})
    if any(result.changes_memory for result in results):
        run.context = assemble(run.assistant.memory, run.turn.question, run.fence)
        yield ContextRead(run.segment_tokens(), tuple(run.tools))
    if run.stopped():
        raise StreamEnded("stopped")


def _failed(assistant: Assistant, turn: TurnRecord, run: Run | None, sentence: str) -> TurnEnded:
    """Ends the turn with a sentence; the message and what was written so far stay."""
    finish_without_answer(assistant, turn, run, Outcome.FAILED, sentence)
    return TurnEnded(Outcome.FAILED, "", sentence)
