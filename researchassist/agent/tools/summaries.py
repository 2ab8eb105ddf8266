"""Condensing and opening what was condensed (R8, R9)."""

from researchassist.agent.condense import expanded

from .definition import ToolContext, working
from .paging import page_of


@working("Opening summary {summary_id}")
def expand_summary(context: ToolContext, summary_id: str, offset: int = 0) -> str:
    """Open a summary: its text and all original messages behind it, with their times.

    Use it before relying on a detail that is only in a [Summary ID: …] reference.

    Args:
        summary_id: The eight characters after "Summary ID:".
        offset: The character to start from; each page says where the next one starts.
    """
    text = expanded(context.assistant.memory, summary_id)
    limit = context.assistant.options.tool_excerpt_chars
    return page_of(text, offset=offset, limit=limit, call=f'expand_summary("{summary_id}", offset={{}})')


@working("Condensing a text")
def summarize_and_store(context: ToolContext, text: str) -> str:
    """Condense a long text into a stored summary and get the reference it can be opened by.

    Use it for text that matters later but is too long to keep in view.

    Args:
        text: The text to condense; all of it is kept behind the summary.
    """
    record = context.assistant.condenser.condense_text(text, context.thread_id).record
    return f"Stored as [Summary ID: {record.id}] {record.description}"


@working("Condensing this conversation")
def summarize_conversation(context: ToolContext) -> str:
    """Condense the messages of this conversation so far into summary memory.

    Use it when the person asks to summarize the conversation, or when it has grown long. The
    originals are kept and can be opened again with expand_summary.
    """
    condensed = context.assistant.condenser.condense_thread(context.thread_id, before=context.question)
    if not condensed:
        return "Nothing to summarize: no message of this conversation is outside the summaries."
    records = [one.record for one in condensed]
    lines = [f"[Summary ID: {record.id}] {record.description}\n{record.summary}" for record in records]
    return "Condensed.\n" + "\n\n".join(lines)
