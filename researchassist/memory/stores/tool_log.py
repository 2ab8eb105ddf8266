"""TOOL_LOG_MEMORY: every tool call, exact and in order (R10)."""

from researchassist.errors import UnknownToolLog
from researchassist.memory import clock
from researchassist.memory.models import ToolLogMemory
from researchassist.memory.records import ToolLogRecord
from researchassist.memory.text import storable, utf8_head

# R10
PREVIEW_BYTES = 2000


def record(row: ToolLogMemory) -> ToolLogRecord:
    """The log as a plain value."""
    return ToolLogRecord(
        id=str(row.pk),
        thread_id=row.thread_id,
        tool_call_id=row.tool_call_id,
        tool_name=row.tool_name,
        tool_args=row.tool_args,
        result=row.result,
        result_preview=row.result_preview,
        status=row.status,
        error_message=row.error_message,
        metadata=row.metadata,
        timestamp=row.timestamp,
    )


def write(  # noqa: PLR0913  (the fields of one record)
    *,
    thread_id: str,
    turn_id: str | None,
    tool_call_id: str | None,
    tool_name: str,
    tool_args: str,
    result: str,
    error_message: str | None,
    metadata: dict[str, object],
) -> ToolLogRecord:
    """Keeps one call; it is failed exactly where there is an error message."""
    result = storable(result)
    row = ToolLogMemory.objects.create(
        thread_id=thread_id,
        turn_id=turn_id,
        tool_call_id=storable(tool_call_id)[:200] if tool_call_id else None,
        tool_name=storable(tool_name)[:200],
        tool_args=storable(tool_args),
        result=result,
        result_preview=utf8_head(result, PREVIEW_BYTES),
        status="success" if error_message is None else "failed",
        error_message=None if error_message is None else storable(error_message),
        metadata=metadata,
        timestamp=clock.now(),
    )
    return record(row)


def read(thread_id: str, limit: int) -> list[ToolLogRecord]:
    """The latest `limit` calls of a thread, oldest first."""
    rows = ToolLogMemory.objects.filter(thread_id=thread_id).order_by("-pk")[:limit]
    return [record(row) for row in reversed(rows)]


def of_turn(turn_id: str) -> list[ToolLogRecord]:
    """The calls of one turn in order."""
    return [record(row) for row in ToolLogMemory.objects.filter(turn_id=turn_id).order_by("pk")]


def get(log_id: str, thread_id: str | None = None) -> ToolLogRecord:
    """One call, only of that thread where it is given; raises UnknownToolLog."""
    rows = ToolLogMemory.objects.filter(pk=int(log_id)) if log_id.strip().isdecimal() else None
    if rows is not None and thread_id is not None:
        rows = rows.filter(thread_id=thread_id)
    row = rows.first() if rows is not None else None
    if row is None:
        raise UnknownToolLog(f"There is no tool log {log_id!r} in this conversation.")
    return record(row)
