"""Handing out long text in pages that fit the excerpt the model is given."""

from researchassist.errors import ToolError

# Room for the line that says where the next page starts, and for the fence around the result.
_ROOM = 160


def page_of(text: str, *, offset: int, limit: int, call: str) -> str:
    """`text` from `offset`, at most `limit` characters with the closing line.

    `call` is how the next page is asked for, with {} for its offset. Raises ToolError where the
    offset is outside the text.
    """
    if offset < 0 or (offset >= len(text) and offset > 0):
        raise ToolError(f"The offset must be between 0 and {max(len(text) - 1, 0)}.")
    end = min(offset + limit - _ROOM, len(text))
    rest = f"\n[{len(text) - end} more characters; next page: {call.format(end)}]" if end < len(text) else ""
    return text[offset:end] + rest
