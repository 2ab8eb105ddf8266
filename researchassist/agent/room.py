"""Room for a request: what gives way, in which order, so that every model call is within the budget.

First the earlier messages (paged out, or condensed into summaries that open again), then the segments
(down to their lines of the window, counted), last this turn's older tool results (down to their log's
number). Never the instructions, what is remembered of the person, the question, or the latest results.
"""

from researchassist.llm.types import Message, ToolSchema

from . import budget
from .allowances import allowances
from .context import Context, offloaded, within_lines
from .paging import made_to_fit
from .run import Run


def made(run: Run, context: Context) -> Context:
    """The context with its conversation shorter, by the policy: the oldest messages left out until it
    fits, or all of them condensed (R7)."""
    options = run.assistant.options
    if options.context_policy == "page":
        return made_to_fit(context, run.fits_context, options.message_chars)
    return _condensed(run, context)


def fitted(run: Run, *, offer: bool) -> tuple[list[Message], list[ToolSchema]]:
    """The request as it stands now, within the budget where that can be."""
    messages, tools = _request(run, offer=offer)
    if run.fits(messages, tools):
        return messages, tools
    _shorten_conversation(run, offer=offer)
    messages, tools = _request(run, offer=offer)
    if run.fits(messages, tools):
        return messages, tools
    _keep_to_lines(run)
    messages, tools = _request(run, offer=offer)
    return budget.shrink_tool_results(messages, run.log_ids, lambda m: run.fits(m, tools)), tools


def smallest(run: Run, *, offer: bool) -> tuple[list[Message], list[ToolSchema]]:
    """The same request as short as it can be made, for a server that found it too long."""
    options = run.assistant.options
    if options.context_policy == "page":
        run.read_anew(made_to_fit(run.context, lambda _: False, options.message_chars))
    elif not run.context.offloaded:
        run.read_anew(_condensed(run, run.context))
    _keep_to_lines(run)
    messages, tools = _request(run, offer=offer)
    return budget.shrink_tool_results(messages, run.log_ids, lambda _: False), tools


def _request(run: Run, *, offer: bool) -> tuple[list[Message], list[ToolSchema]]:
    return [*run.context.messages(), *run.exchange], run.schemas if offer else []


def _shorten_conversation(run: Run, *, offer: bool) -> None:
    """Leaves out as much of the conversation as the whole request needs, or condenses it once."""
    options, context = run.assistant.options, run.context
    if not context.conversation.records:
        return
    if options.context_policy == "page":
        tools = run.schemas if offer else []
        fits = lambda shorter: run.fits([*shorter.messages(), *run.exchange], tools)  # noqa: E731
        run.read_anew(made_to_fit(context, fits, options.message_chars))
    elif not context.offloaded:
        run.read_anew(_condensed(run, context))


def _keep_to_lines(run: Run) -> None:
    assistant = run.assistant
    run.read_anew(within_lines(run.context, allowances(assistant.options), assistant.memory))


def _condensed(run: Run, context: Context) -> Context:
    """R7: condenses the thread before the question and puts references in the messages' place."""
    condensed = run.condenser.condense_thread(run.turn.thread_id, before=run.turn.question)
    run.problems += [one.problem for one in condensed if one.problem]
    return offloaded(context, [one.record for one in condensed], run.assistant.memory)
