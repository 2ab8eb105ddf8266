"""Puts a streamed reply together from deltas as servers really send them.

Servers differ: calls without an index or an id, names split or repeated in each delta, several
calls under one index, null deltas, empty choices. Pure: takes plain values, raises nothing.
"""

import json
from collections.abc import Mapping
from typing import Any

from .thinking import Thinking
from .types import STOP, TOOL_CALLS, Reply, ToolCall, Usage


class _Call:
    """A tool call under construction."""

    def __init__(self, index: int | None, call_id: str) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self.arguments = ""

    def add(self, name: str, arguments: str) -> None:
        """Joins a split name; a server that sends all of it so far each time adds nothing."""
        if name.startswith(self.name):
            self.name = name
        else:
            self.name += name
        self.arguments += arguments


class Assembler:
    """Feed it chunks (as mappings); `reply()` is what they add up to so far."""

    def __init__(self) -> None:
        self._thinking = Thinking()
        self._calls: list[_Call] = []
        self._finish_reason = ""
        self._usage: Usage | None = None
        self._half = ""

    @property
    def finished(self) -> bool:
        """Whether the server gave a reason for having ended."""
        return bool(self._finish_reason)

    def feed(self, chunk: Mapping[str, Any]) -> tuple[str, bool]:
        """Takes one chunk in; gives the answer text it brought, and whether all before it was
        reasoning that is to be taken back."""
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            self._usage = Usage(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
        text, withdrawn = "", False
        for choice in chunk.get("choices") or ():
            if not isinstance(choice, Mapping):
                continue
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, Mapping):
                more, taken_back = self._feed_delta(delta)
                text = more if taken_back else text + more
                withdrawn = withdrawn or taken_back
            self._finish_reason = str(choice.get("finish_reason") or self._finish_reason)
        return text, withdrawn

    def _feed_delta(self, delta: Mapping[str, Any]) -> tuple[str, bool]:
        for call in delta.get("tool_calls") or ():
            if isinstance(call, Mapping):
                self._feed_call(call)
        written = delta.get("content") or delta.get("refusal")
        return self._thinking.feed(self._whole_characters(written if isinstance(written, str) else ""))

    def end(self) -> str:
        """The text that was still held back; call it once, after the last chunk."""
        return self._thinking.finish()

    def _whole_characters(self, text: str) -> str:
        """`text` with a character that was cut in two between deltas put together again."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _feed_call(self, call: Mapping[str, Any]) -> None:
        function = call.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments = str(function.get("name") or ""), function.get("arguments") or ""
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        index = call.get("index")
        call_id = str(call.get("id") or "")
        self._find(index if isinstance(index, int) else None, call_id, name).add(name, arguments)

    def _find(self, index: int | None, call_id: str, name: str) -> _Call:
        """The call a delta belongs to: by its id, else by its index, else the last one begun.

        An id that comes again under another index, or with another name, is another call's.
        """
        same_id = [c for c in self._calls if call_id and c.id == call_id and index in (None, c.index)]
        if same_id and not (index is None and name not in ("", same_id[-1].name) and same_id[-1].arguments):
            return same_id[-1]
        candidates = self._calls if index is None else [c for c in self._calls if c.index == index]
        last = candidates[-1] if candidates else None
        begins_another = (
            last is None or (call_id and last.id and name) or (index is None and name and last.arguments)
        )
        if last is None or begins_another:
            last = _Call(index, call_id)
            self._calls.append(last)
        last.id = last.id or call_id
        return last

    def reply(self) -> Reply:
        """The reply so far. Calls get an id where the server gave none or one twice."""
        seen: set[str] = set()
        calls = []
        for number, call in enumerate(call for call in self._calls if call.name or call.arguments):
            call_id = call.id or f"call_{number}"
            while call_id in seen:
                call_id += f"_{number}"
            seen.add(call_id)
            calls.append(ToolCall(call_id, call.name, call.arguments))
        reason = self._finish_reason or (TOOL_CALLS if calls else STOP)
        return Reply(self._thinking.shown, tuple(calls), reason, self._usage)


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
