"""Server-sent events: what the page watches while an answer is written or commands run.

Only watches: opening, closing or repeating a stream starts and changes nothing.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET

from researchassist.agent.assistant import configured
from researchassist.agent.command_runner import command_runner
from researchassist.agent.events import (
    ContextRead,
    ModelRetrying,
    TextAdded,
    TextSetAside,
    TextWithdrawn,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnEvent,
)
from researchassist.agent.ownership import is_alive
from researchassist.agent.runner import EventLog, runner
from researchassist.errors import UnknownCommandRun, UnknownTurn
from researchassist.memory.manager import MemoryManager

from .live import LiveText
from .steps import took

# A server notices that a reader has gone only when it writes.
HEARTBEAT_SECONDS = 10.0
_POLL_SECONDS = 1.0
_HEARTBEAT = ": still here\n\n"
_RETRY = "retry: 1000\n\n"
_RUNNING = "running"
_MOST_WATCHED = 200


@require_GET
def turn_events(request: HttpRequest, turn_id: str) -> HttpResponse | StreamingHttpResponse:
    """The events of a turn after the last one the reader has seen."""
    memory = configured().memory
    try:
        memory.turn(turn_id)
    except UnknownTurn:
        return HttpResponse(status=404)
    log = runner().events(turn_id)
    stream = _replay(log, _last_seen(request)) if log else _watch(memory, turn_id)
    response = StreamingHttpResponse(_closing(stream), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


@require_GET
def command_events(request: HttpRequest) -> StreamingHttpResponse:
    """What the runs of commands in `ids` are doing, and that they have ended: one stream for all of
    them, because a browser holds only six connections to a server."""
    run_ids = set(filter(None, request.GET.get("ids", "").split(",")[:_MOST_WATCHED]))
    response = StreamingHttpResponse(
        _closing(_watch_commands(configured().memory, run_ids)), content_type="text/event-stream"
    )
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _watch_commands(memory: MemoryManager, waiting: set[str]) -> Iterator[str]:
    """Until all have ended. A reader that comes again hears where each stands, and misses nothing."""
    commands, said = command_runner(), dict.fromkeys(waiting, "")
    beat = time.monotonic()
    while waiting:
        here = commands.words(waiting)
        for run_id in waiting - here.keys():
            if not _runs_elsewhere(memory, run_id):
                waiting = waiting - {run_id}
                yield _message({"type": "command_end", "id": run_id})
        for run_id, words in here.items():
            if said[run_id] != words:
                said[run_id], beat = words, time.monotonic()
                yield _message({"type": "command", "id": run_id, "words": words})
        if time.monotonic() - beat > HEARTBEAT_SECONDS:
            beat = time.monotonic()
            yield _HEARTBEAT
        commands.news(here, _POLL_SECONDS) if here else time.sleep(_POLL_SECONDS)


def _runs_elsewhere(memory: MemoryManager, run_id: str) -> bool:
    """Whether another process runs it; one that is gone or has ended runs nowhere."""
    try:
        run = memory.command_run(run_id)
    except UnknownCommandRun:
        return False
    return run.status == _RUNNING and is_alive(run.owner)


def _last_seen(request: HttpRequest) -> int:
    """The number of the last event the reader has: the browser's word is newer than the address."""
    number = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0


def _closing(stream: Iterator[str]) -> Iterator[str]:
    yield _RETRY
    try:
        yield from stream
    finally:
        close_old_connections()


def _replay(log: EventLog, number: int) -> Iterator[str]:
    """What has happened in a turn of this process, and then what happens.

    The text goes out twice: piece by piece as it comes, and rendered (live.py). A reader who comes
    back is shown at once what the text looked like when it left.
    """
    live = LiveText()
    for event in log.events[:number]:
        live.hear(event)
    if not live.is_empty:
        yield _message(live.whole())
    while True:
        events, over = log.after(number, live.wait() if live.pending else HEARTBEAT_SECONDS)
        messages = []
        for event in events:
            number += 1
            if isinstance(event, TurnEnded) and live.pending:
                messages.append(_message(live.rendered()))
            live.hear(event)
            messages.append(_message(payload_of(event), number))
        if live.pending and (over or not live.wait()):
            messages.append(_message(live.rendered()))
        if messages:
            yield "".join(messages)
        elif over:
            # Also where the last event was seen already, or the turn ended without one.
            yield _message({"type": "end"})
            return
        elif not live.pending:
            yield _HEARTBEAT


def _watch(memory: MemoryManager, turn_id: str) -> Iterator[str]:
    """A turn that this process has no events of: it is over, or another process runs it."""
    text, beat = "", time.monotonic()
    live = LiveText()
    while True:
        try:
            turn = memory.turn(turn_id)
        except UnknownTurn:
            break
        if turn.outcome != _RUNNING or not is_alive(turn.owner):
            break
        if turn.partial_text != text:
            if not turn.partial_text.startswith(text):
                live.clear()
            live.add(turn.partial_text.removeprefix(text))
            text, beat = turn.partial_text, time.monotonic()
            yield _message({"type": "so_far", "text": text})
            yield _message(live.whole())
        elif time.monotonic() - beat > HEARTBEAT_SECONDS:
            beat = time.monotonic()
            yield _HEARTBEAT
        time.sleep(_POLL_SECONDS)
    yield _message({"type": "end"})


def _message(payload: dict[str, Any], number: int | None = None) -> str:
    """One event. JSON keeps the data on one line of ASCII, whatever the text holds."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}data: {json.dumps(payload)}\n\n"


def payload_of(event: TurnEvent) -> dict[str, Any]:
    """An event as the page's script reads it."""
    payload: dict[str, Any] = {"type": "other"}
    match event:
        case ContextRead(tokens, tools):
            payload = {"type": "context", "tokens": sum(tokens.values()), "tools": len(tools)}
        case TextAdded(text):
            payload = {"type": "text", "text": text}
        case TextSetAside():
            payload = {"type": "set_aside"}
        case TextWithdrawn():
            payload = {"type": "withdrawn"}
        case ModelRetrying(reason, seconds):
            payload = {"type": "retrying", "reason": reason, "seconds": round(seconds, 1)}
        case ToolStarted(call_id, name, _, doing, at):
            ago = round(time.monotonic() - at, 1)
            payload = {"type": "tool", "id": call_id, "name": name[:80], "doing": doing, "ago": ago}
        case ToolProgress(call_id, words):
            payload = {"type": "tool_progress", "id": call_id, "words": words}
        case ToolEnded(call_id, _, status, seconds, _):
            payload = {"type": "tool_done", "id": call_id, "status": status, "took": took(seconds)}
        case TurnEnded(outcome, _, _):
            payload = {"type": "end", "outcome": outcome}
    return payload
