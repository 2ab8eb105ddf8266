"""The loop of a turn: ask the model, run its calls, until there is an answer or a limit is reached.

Owns what one model call is given (within the budget), what its reply means, and answering every
call; which tools there are is toolbox.py's, what is kept afterwards writeback.py's.
"""

import logging
import time
from collections.abc import Generator, Iterator

from researchassist.errors import ContextTooLong, ModelError
from researchassist.llm.types import (
    CONTENT_FILTER,
    LENGTH,
    Message,
    Reply,
    Retrying,
    ToolCall,
    ToolSchema,
    Withdrawn,
)
from researchassist.llm.watched import StreamEnded, watched
from researchassist.memory.models import Outcome

from . import budget, room
from .context import assemble
from .events import (
    ContextRead,
    ModelRetrying,
    PassagesGiven,
    TextAdded,
    TextSetAside,
    TextWithdrawn,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEvent,
)
from .prompts import render
from .run import Run
from .toolbox import ToolResult

log = logging.getLogger(__name__)

# R13: the fixed message; a time limit ends a turn the same way.
INABILITY = (
    "I was not able to finish an answer within the limits of this turn. "
    "What the tools found is kept in memory; ask again, or ask for a smaller part of it."
)
CUT_CALL = "This call was cut off by the token limit and was not run. Send it again, shorter."
CALLS_USED = "This turn has made all the tool calls it may make, so this one was not run. Answer now."
CUT_AGAIN = "The answer was cut off: the model reached its token limit in the middle of a tool call, twice."
# Why a reply is empty, by its finish reason.
EMPTY = {
    LENGTH: "No answer was given: the model used up its token limit before it began to answer.",
    CONTENT_FILTER: "No answer was given: it was filtered by the model's server.",
}
EMPTY_ANSWER = "No answer was given: the model's reply was empty."
# What is said under an answer that is not whole, by its finish reason.
CUT_SHORT = {
    LENGTH: "The answer was cut off by the model's token limit.",
    CONTENT_FILTER: "The answer was cut off by the filter of the model's server.",
}
_CUT_CALLS_ALLOWED = 1
_CHECKPOINT_SECONDS = 1.0


def work(run: Run) -> Iterator[TurnEvent]:
    """Guards the budget, finds the tools, then asks and runs calls until there is an answer or a
    limit is reached (R13); sets `run.outcome`.

    Raises ModelError where there is no answer to be had.
    """
    try:
        run.context = budget.guard(run.context, run.fits_context, lambda given: room.made(run, given))
        run.offer()
        yield ContextRead(run.segment_tokens(), tuple(run.tools))
        yield from _told_passages(run)
        for _ in range(run.assistant.options.max_iterations):
            reply = yield from _ask(run, offer=run.may_call)
            if not run.may_call and not run.text.strip():
                break
            if not reply.tool_calls or not run.may_call:
                _accept(run, reply)
                return
            yield TextSetAside()
            run.text = ""
            yield from _run_calls(run, reply)
        run.outcome = Outcome.CAPPED
    except StreamEnded as end:
        run.outcome = Outcome.STOPPED if end.why == "stopped" else Outcome.TIMED_OUT
    if run.outcome != Outcome.STOPPED:
        yield from _at_limit(run)


def _told_passages(run: Run) -> Iterator[TurnEvent]:
    """What the answer may cite, where that has changed."""
    if labels := run.passages.new_labels():
        yield PassagesGiven(labels)


def _accept(run: Run, reply: Reply) -> None:
    """Takes a reply without calls as the answer; raises ModelError where it is empty."""
    if not run.text.strip():
        raise ModelError(EMPTY.get(reply.finish_reason, EMPTY_ANSWER))
    run.outcome = Outcome.ANSWERED
    run.notice = CUT_SHORT.get(reply.finish_reason, "")


def _at_limit(run: Run) -> Iterator[TurnEvent]:
    """The fixed inability message, or one more request without tools (option at_cap).

    What was written of an answer when the time ran out stays above it.
    """
    if run.assistant.options.at_cap == "finalize":
        yield TextSetAside()
        run.exchange.append({"role": "user", "content": render("finalize")})
        run.deadline = time.monotonic() + run.assistant.options.first_token_timeout
        try:
            yield from _ask(run, offer=False)
        except StreamEnded as end:
            log.warning("The last request of a turn was given up: %s.", end.why)
        else:
            if run.text.strip():
                return
    begun = run.text.strip()
    ending = f"\n\n{INABILITY}" if begun else INABILITY
    run.text = begun + ending
    yield TextAdded(ending)


def _ask(run: Run, *, offer: bool = True) -> Generator[TurnEvent, None, Reply]:
    """One model call within the budget; a refusal for its length leads to one more, condensed."""
    messages, tools = room.fitted(run, offer=offer)
    run.iterations += 1
    try:
        return (yield from _stream(run, messages, tools))
    except ContextTooLong:
        if run.condensed_for_length:
            raise
        run.condensed_for_length = True
    messages, tools = room.smallest(run, offer=offer)
    return (yield from _stream(run, messages, tools))


def _stream(run: Run, messages: list[Message], tools: list[ToolSchema]) -> Generator[TurnEvent, None, Reply]:
    """Asks the model; `run.text` holds what it writes, and what it reasons never gets there."""
    run.text = ""
    kept, reply = time.monotonic(), Reply()
    stream = run.assistant.model.stream(messages, tools)
    for piece in watched(stream, stopped=run.stopped, limits=run.limits):
        match piece:
            case Reply():
                reply = piece
            case Retrying(reason, seconds):
                yield ModelRetrying(reason, seconds)
            case Withdrawn():
                run.text = ""
                yield TextWithdrawn()
            case str() if piece:
                run.text += piece
                run.first_text = run.first_text or time.monotonic() - run.started
                yield TextAdded(piece)
        if time.monotonic() - kept > _CHECKPOINT_SECONDS:
            run.assistant.memory.checkpoint_turn(run.turn.id, run.text)
            kept = time.monotonic()
    run.text = reply.text
    return run.noted(reply, estimated=run.weighed(messages, tools))


def _run_call(run: Run, call: ToolCall, *, said: str, refusal: str) -> Generator[TurnEvent, None, ToolResult]:
    """Runs one call and tells how it goes; `said` is what the model wrote before it."""
    doing = run.assistant.toolbox.doing(call)
    yield ToolStarted(call.id, call.name, call.arguments, doing)
    steps = run.assistant.toolbox.running(
        call, run.tool_context, run.fence, refusal=refusal, stopped=run.stopped
    )
    while True:
        try:
            words = next(steps)
        except StopIteration as end:
            result: ToolResult = end.value
            break
        yield ToolProgress(call.id, words)
    run.note_result(result, doing=doing, said=said)
    yield ToolEnded(call.id, call.name, result.status, result.seconds, result.log_id)
    return result


def _run_calls(run: Run, reply: Reply) -> Iterator[TurnEvent]:
    """Runs every call of a reply, answers each, and reads memory anew where one changed it (R10)."""
    cut = reply.finish_reason == LENGTH
    results: list[ToolResult] = []
    for call in reply.tool_calls:
        said = "" if results else reply.text.strip()
        refusal = CUT_CALL if cut else "" if run.may_call else CALLS_USED
        results.append((yield from _run_call(run, call, said=said, refusal=refusal)))
    run.exchange.append(
        {
            "role": "assistant",
            "content": reply.text or None,
            "tool_calls": [result.as_call() for result in results],
        }
    )
    run.exchange += [result.as_message() for result in results]
    run.cut_calls += cut
    if run.cut_calls > _CUT_CALLS_ALLOWED:
        raise ModelError(CUT_AGAIN)
    if not run.may_call:
        run.exchange.append({"role": "user", "content": render("finalize")})
    if any(result.changes_memory for result in results):
        run.read_anew(assemble(run.assistant.memory, run.turn.question, run.fence))
        yield ContextRead(run.segment_tokens(), tuple(run.tools))
    yield from _told_passages(run)
    if run.stopped():
        raise StreamEnded("stopped")
