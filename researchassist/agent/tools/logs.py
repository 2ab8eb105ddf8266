"""Reading back what a tool returned in full."""

from .definition import ToolContext, working
from .paging import page_of


@working("Reading tool log {log_id}")
def read_tool_log(context: ToolContext, log_id: str, offset: int = 0) -> str:
    """Read the full output of an earlier tool call in this conversation, piece by piece.

    Use it when a tool result was cut and names its tool log.

    Args:
        log_id: The number in the notice, such as "17".
        offset: The character to start from; each piece says where the next one starts.
    """
    log = context.assistant.memory.tool_log(log_id, context.thread_id)
    limit = context.assistant.options.tool_excerpt_chars
    return page_of(log.result, offset=offset, limit=limit, call=f'read_tool_log("{log.id}", offset={{}})')
