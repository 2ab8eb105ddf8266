"""The toolbox: registering tools, finding a few for a question, and running them safely (R4, R5, R10).

Owns which functions this process can run; the rows they are found by are memory's.
"""

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from researchassist.errors import ModelError, ResearchAssistError, ToolError
from researchassist.llm.types import LanguageModel, Message, ToolCall, complete
from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import fenced
from researchassist.memory.records import ToolRecord
from researchassist.memory.stores.toolbox import embedded_text
from researchassist.memory.text import storable

from .prompts import render
from .replies import read_json
from .tool_thread import result_of
from .tools.definition import Tool, ToolContext, as_object, define

log = logging.getLogger(__name__)

# D11: about five synthetic queries a tool.
QUERIES = 5
_AUGMENT_TOKENS = 2000
_STEP_ARGUMENT_CHARS = 60
_NAME_CHARS = 64


class _Augmented(BaseModel):
    """What the writer model makes of a docstring."""

    description: str = Field(min_length=1)
    queries: list[str]


@dataclass(frozen=True)
class ToolResult:
    """How one call went. `excerpt` is what the model is given, `step` its line in the workflow.

    `call` has a name that a strict server takes back, and `arguments` is always a JSON object in
    text, also where the model's own could not be read.
    """

    call: ToolCall
    arguments: str
    excerpt: str
    status: str
    log_id: str
    step: str
    seconds: float
    changes_memory: bool
    offers: tuple[str, ...] = ()

    def as_call(self) -> dict[str, Any]:
        """The call as an assistant message holds it."""
        function = {"name": self.call.name, "arguments": self.arguments}
        return {"id": self.call.id, "type": "function", "function": function}

    def as_message(self) -> Message:
        """The tool message that answers it."""
        return {"role": "tool", "tool_call_id": self.call.id, "content": self.excerpt}


class Toolbox:
    """Tools by name in this process, and by meaning in memory."""

    def __init__(
        self, memory: MemoryManager, writer: LanguageModel | None, tools: Sequence[Tool] = ()
    ) -> None:
        self._memory = memory
        self._writer = writer
        self._tools = {tool.name: tool for tool in tools}
        self._lock = threading.Lock()
        self._ready = False

    def register(
        self, function: Callable[..., Any], *, augment: bool = False, changes_memory: bool = False
    ) -> ToolRecord:
        """Adds a function as a tool and keeps its row: one a name, written anew only where its
        source changed or an augmented description is wanted for the first time."""
        return self._keep(define(function, changes_memory=changes_memory), augment=augment)

    def ensure_registered(self) -> None:
        """Keeps a row for every tool of this process; quick where nothing changed."""
        with self._lock:
            if not self._ready:
                for tool in list(self._tools.values()):
                    self._keep(tool, augment=False)
                self._ready = True

    def augment_all(self) -> None:
        """Enriches the descriptions of tools that are still raw; does nothing without a model.

        A failure leaves the raw description, is logged, and is tried again at the next start.
        """
        for tool in list(self._tools.values()):
            try:
                self._keep(tool, augment=True)
            except ModelError as error:
                log.warning("The description of %s stays as written: %s", tool.name, error)
                return

    def _keep(self, tool: Tool, *, augment: bool) -> ToolRecord:
        self._tools[tool.name] = tool
        known = self._memory.tool(tool.name)
        augment = augment and self._writer is not None
        description, queries = tool.description, list[str]()
        if known is not None and known.source_hash == tool.source_hash and (known.augmented or not augment):
            description, queries, augment = known.description, list(known.queries), known.augmented
            if known.text == embedded_text(tool.name, description, tool.signature, tool.parameters, queries):
                return known
            # Registered by a version that embedded another text.
        elif augment:
            assert self._writer is not None
            enriched = _augmented(tool, self._writer)
            description, queries = enriched.description, enriched.queries[:QUERIES]
        return self._memory.write_toolbox(
            name=tool.name,
            description=description,
            signature=tool.signature,
            parameters=tool.parameters,
            queries=queries,
            augmented=augment,
            source_hash=tool.source_hash,
        )

    def find(self, query: str, k: int | None = None) -> list[ToolRecord]:
        """The tools of this process nearest to the query, at most k (toolbox_k), names unique."""
        self.ensure_registered()
        return self._memory.read_toolbox(query, k, names=self._tools.keys())

    def tools_for(self, query: str, standing: Sequence[str], beside: Sequence[str] = ()) -> list[ToolRecord]:
        """The tools a turn offers: the nearest, with the standing ones in place of the lowest.

        Never more than toolbox_k (R4); those `beside` come on top.
        """
        k = self._memory.options.toolbox_k
        found = [one for one in self.find(query, k + len(beside)) if one.name not in beside][:k]
        here = [name for name in standing if name in self._tools and name not in beside]
        always = self._records(here)[:k]
        names = {record.name for record in always}
        nearest = [record for record in found if record.name not in names][: k - len(always)]
        return nearest + always + self._records([name for name in beside if name in self._tools])

    def _records(self, names: Sequence[str]) -> list[ToolRecord]:
        return [record for name in names if (record := self._memory.tool(name)) is not None]

    def doing(self, call: ToolCall) -> str:
        """What a call does, in words for the person."""
        tool = self._tools.get(call.name)
        return storable(tool.doing(call.arguments) if tool else f"Using {call.name[:_NAME_CHARS]}")

    def run(self, call: ToolCall, context: ToolContext, fence: str, **more: Any) -> ToolResult:
        """As `running`, for whoever does not watch."""
        steps = self.running(call, context, fence, **more)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: ToolResult = end.value
                return result

    def running(
        self,
        call: ToolCall,
        context: ToolContext,
        fence: str,
        *,
        refusal: str = "",
        stopped: Callable[[], bool] = lambda: False,
    ) -> Generator[str, None, ToolResult]:
        """Runs one call and logs it whole, whatever becomes of it; never raises for a tool's fault.

        Yields what the tool says while it runs. With `refusal` the call is not run, and that sentence
        is its result. A tool that takes too long, or runs when the turn is `stopped`, is cut off and
        logged as failed.
        """
        started = time.monotonic()
        tool = self._tools.get(call.name)
        arguments = as_object(call.arguments)
        error: str | None = None
        try:
            if refusal:
                raise ToolError(refusal)
            if tool is None:
                known = ", ".join(sorted(self._tools))
                raise ToolError(f"There is no tool {call.name!r}. The tools are: {known}.")
            arguments = tool.decode(call.arguments)
            limit = self._memory.options.tool_seconds
            result = yield from result_of(tool, context, arguments, limit=limit, stopped=stopped)
        except ResearchAssistError as failure:
            error = result = str(failure)
        except Exception as failure:
            log.warning("The tool %s failed.", call.name, exc_info=True)
            error = result = f"{call.name} failed: {type(failure).__name__}: {failure}"
        seconds = time.monotonic() - started
        record = self._memory.write_tool_log(
            thread_id=context.thread_id,
            turn_id=context.turn_id,
            tool_call_id=call.id,
            tool_name=call.name,
            tool_args=call.arguments if error else _json(arguments),
            result=result,
            error_message=error,
            metadata={"seconds": round(seconds, 3)},
        )
        done = tool is not None and error is None
        named = replace(call, name=_valid_name(call.name))
        return ToolResult(
            call=named,
            arguments=_json(arguments),
            excerpt=self._excerpt(record.result, record.id, named.name, fence),
            status=record.status,
            log_id=record.id,
            step=f"{named.name}({_short(arguments)}) → {record.status}",
            seconds=seconds,
            changes_memory=tool is not None and done and tool.changes_memory,
            offers=_offers(call.name, result) if done else (),
        )

    def _excerpt(self, result: str, log_id: str, name: str, fence: str) -> str:
        """At most tool_excerpt_chars of the result, fence included, and a notice where it was cut."""
        limit = self._memory.options.tool_excerpt_chars
        wrapper = len(fenced("", fence, [("tool", name)]))
        shown = result[: max(limit - wrapper, 0)]
        text = fenced(shown, fence, [("tool", name)])
        if len(shown) == len(result):
            return text
        return (
            f"{text}\n[Cut: {len(shown)} of {len(result)} characters. "
            f"The whole output is in tool log {log_id}; "
            f'read_tool_log("{log_id}", offset={len(shown)}) continues.]'
        )


def _augmented(tool: Tool, writer: LanguageModel) -> _Augmented:
    """The enriched description and synthetic queries; raises ModelError where there are none."""
    prompt = render(
        "augment",
        tool=tool.name,
        signature=tool.signature,
        docstring=tool.docstring,
        source=tool.source,
    )
    reply = complete(writer, prompt, max_tokens=_AUGMENT_TOKENS)
    try:
        return _Augmented.model_validate(read_json(reply).value)
    except ValidationError as error:
        raise ModelError(f"The writer model's description of {tool.name} could not be read.") from error


def _json(arguments: dict[str, Any]) -> str:
    return storable(json.dumps(arguments, ensure_ascii=False, default=str))


def _valid_name(name: str) -> str:
    """A tool's name as servers demand it, for a call of whatever name a model made up."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_NAME_CHARS] or "unnamed"


def _short(arguments: dict[str, Any]) -> str:
    """The arguments as a step of a workflow names them."""
    parts = []
    for name, value in arguments.items():
        text = storable(json.dumps(value, ensure_ascii=False, default=str))
        parts.append(
            f"{name}={text if len(text) <= _STEP_ARGUMENT_CHARS else text[:_STEP_ARGUMENT_CHARS] + '…'}"
        )
    return ", ".join(parts)


def _offers(name: str, result: str) -> tuple[str, ...]:
    """The tools a look into the toolbox found: callable in the next iteration."""
    if name != "read_toolbox":
        return ()
    return tuple(str(found["name"]) for found in json.loads(result))
