"""One tool call on a thread of its own, so that it can be given up and can say how far it has come.

Owns the time limit, Stop and what is told on the way; what a call's result means is toolbox.py's.
"""

import queue
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import connections

from researchassist.errors import ToolError

from .tools.definition import Tool, ToolContext

_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class _Told:
    """What a running tool says of itself."""

    words: str


def result_of(
    tool: Tool,
    context: ToolContext,
    arguments: Mapping[str, Any],
    *,
    limit: float,
    stopped: Callable[[], bool] = lambda: False,
) -> Generator[str, None, str]:
    """Calls the tool; yields what it says on the way and returns its result.

    Raises what the tool raises, and ToolError after `limit` seconds or once `stopped`. A thread cannot
    be ended from outside: one that hangs is left behind and its result unused.
    """
    heard: queue.SimpleQueue[str | Exception | _Told] = queue.SimpleQueue()
    telling = replace(context, tell=lambda words: heard.put(_Told(words)))

    def call() -> None:
        try:
            heard.put(tool.call(telling, arguments))
        except Exception as error:  # noqa: BLE001  (raised again by the waiting thread)
            heard.put(error)
        finally:
            connections.close_all()

    threading.Thread(target=call, name=f"tool-{tool.name}", daemon=True).start()
    end = time.monotonic() + limit
    while True:
        if stopped():
            raise ToolError(f"{tool.name} was stopped by the person before it had ended.")
        if time.monotonic() > end:
            raise ToolError(f"{tool.name} took longer than {limit:g} seconds and was cut off.")
        try:
            news = heard.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            continue
        if isinstance(news, Exception):
            raise news
        if isinstance(news, str):
            return news
        yield news.words
