"""The state of one turn while it runs, and the manifest of what it used."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from researchassist.llm.types import Message, Reply, ToolSchema
from researchassist.llm.watched import Limits, WatchedModel
from researchassist.memory.records import ToolRecord, TurnRecord
from researchassist.memory.text import storable

from . import budget, personal
from .assistant import Assistant
from .condense import Condenser
from .context import Context, new_fence
from .passages import GivenPassages
from .toolbox import ToolResult
from .tools.definition import ToolContext

READ_TOOLBOX = "read_toolbox"
EXPAND_SUMMARY = "expand_summary"
RECALL_SEARCH = "recall_search"
# Seed of hierarchical memory: core memory, recall and archive.
MEMORY_TOOLS = (
    "core_memory_append",
    "core_memory_replace",
    RECALL_SEARCH,
    "archival_insert",
    "archival_search",
)


@dataclass
class Run:
    """What a turn has so far. `exchange` are the messages after the first two."""

    assistant: Assistant
    turn: TurnRecord
    stopped: Callable[[], bool]
    context: Context
    deadline: float
    fence: str = field(default_factory=new_fence)
    tools: dict[str, ToolRecord] = field(default_factory=dict)
    exchange: list[Message] = field(default_factory=list)
    log_ids: dict[str, str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    passages: GivenPassages = field(default_factory=GivenPassages)
    iterations: int = 0
    text: str = ""
    outcome: str = ""
    notice: str = ""
    cut_calls: int = 0
    condensed_for_length: bool = False
    usage: list[dict[str, int]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    first_text: float | None = None

    @property
    def tool_context(self) -> ToolContext:
        """What the harness hands to tools."""
        return ToolContext(self.assistant, self.turn.question, self.turn.id)

    @property
    def limits(self) -> Limits:
        """When a model's stream is given up now."""
        options = self.assistant.options
        return Limits(self.deadline, options.first_token_timeout, options.token_timeout)

    @property
    def condenser(self) -> Condenser:
        """The assistant's, whose writer gives up when the turn is stopped or out of time."""
        condenser = self.assistant.condenser
        if condenser.writer is None:
            return condenser
        return replace(condenser, writer=WatchedModel(condenser.writer, self.stopped, self.limits))

    @property
    def schemas(self) -> list[ToolSchema]:
        """The tools offered now, in OpenAI's format."""
        return [record.as_json() for record in self.tools.values()]

    def offer(self) -> None:
        """Finds the tools for the question; what the context points at is always among them (R4)."""
        found = self.assistant.toolbox.tools_for(
            self.turn.question.content, self._standing(), beside=self._beside()
        )
        self.tools = {record.name: record for record in found}

    def __post_init__(self) -> None:
        self.passages.add(self.context.knowledge_base.records)

    def read_anew(self, context: Context) -> None:
        """Takes another context; the tools it points at are offered from now on."""
        self.context = context
        self.passages.add(context.knowledge_base.records)
        self._offer_also(self._standing())

    def _standing(self) -> list[str]:
        standing = [READ_TOOLBOX]
        if self.context.summary.records:
            standing.append(EXPAND_SUMMARY)
        if self.context.hidden or self.context.cut:
            standing.append(RECALL_SEARCH)
        return standing

    def _beside(self) -> Sequence[str]:
        """The tools that stand beside the k: those that page memory, where it is paged."""
        return MEMORY_TOOLS if self.assistant.options.context_policy == "page" else ()

    @property
    def may_call(self) -> bool:
        """Whether tools are offered still: where memory is paged, a turn may make so many calls."""
        options = self.assistant.options
        return options.context_policy != "page" or len(self.calls) < options.page_tool_calls

    def _offer_also(self, names: Iterable[str]) -> None:
        for name in names:
            record = self.assistant.memory.tool(name)
            if record is not None:
                self.tools.setdefault(name, record)

    def fits(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> bool:
        """Whether a request is below the threshold, as the server is likely to count it (R6)."""
        return self._fits(self.weighed(messages, tools))

    def weighed(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> int:
        """Tokens of a request, by the assistant's estimate."""
        return budget.request_tokens(messages, tools, self.assistant.count)

    def fits_context(self, context: Context) -> bool:
        """Whether the assembled memory is below the threshold (R7)."""
        return self._fits(self.assistant.count(context.user_content()))

    def _fits(self, tokens: int) -> bool:
        corrected, options = self.assistant.calibration.corrected(tokens), self.assistant.options
        if options.context_policy == "page":
            return corrected * 100 <= options.budget() * options.page_percent
        return budget.monitor(corrected, options).status != "critical"

    def noted(self, reply: Reply, *, estimated: int) -> Reply:
        """The reply with ids for its calls that no earlier call of the turn has; keeps its usage.

        `estimated` is what the request was estimated at, to learn from what the server counted.
        """
        if reply.usage is not None:
            self.assistant.calibration.note(estimated=estimated, counted=reply.usage.prompt_tokens)
            self.usage.append(
                {"prompt": reply.usage.prompt_tokens, "completion": reply.usage.completion_tokens}
            )
        taken, calls = set(self.log_ids), []
        for call in reply.tool_calls:
            call_id = call.id
            while call_id in taken:
                call_id += f"_{self.iterations}"
            taken.add(call_id)
            calls.append(replace(call, id=call_id))
        return replace(reply, tool_calls=tuple(calls))

    def note_result(self, result: ToolResult, *, doing: str, said: str) -> None:
        """Keeps how a call went, what it did in words, and what the model said before it; offers what a
        look into the toolbox found."""
        self.steps.append(result.step)
        self.log_ids[result.call.id] = result.log_id
        self.calls.append(
            {
                "name": result.call.name,
                "doing": doing,
                "said": storable(said),
                "arguments": result.arguments,
                "status": result.status,
                "log_id": result.log_id,
                "seconds": round(result.seconds, 3),
            }
        )
        if result.status == "success":
            question = self.turn.question.content
            self.passages.add_from(result.excerpt, result.call.name, self.assistant.memory, question)
        self._offer_also(result.offers)

    def segment_tokens(self) -> dict[str, int]:
        """Estimated tokens by part of the first request."""
        segments = {s.kind.key: budget.estimate(s.text(self.fence)) for s in self.context.segments}
        return {
            "system": budget.estimate(self.context.instructions()),
            **{s.key: personal.tokens(s, self.fence) for s in self.context.remembered},
            "question": budget.estimate(self.turn.question.content),
            **segments,
            "tools": budget.request_tokens([], self.schemas) if self.tools else 0,
        }

    def beside(self) -> int:
        """Tokens of the first request besides the conversation, its running summary and the question."""
        context, count = self.context, self.assistant.tokens
        tag = personal.tag_of(self.fence)
        changing = [
            section.content(tag) for section in context.remembered if section.key == "running_summary"
        ]
        changing += [context.conversation.text(self.fence), self.turn.question.content]
        whole = count(context.system_content()) + count(context.user_content())
        tools = budget.request_tokens([], self.schemas, count) if self.tools else 0
        return max(whole + tools - sum(map(count, changing)), 0)

    def manifest(self) -> dict[str, Any]:
        """What the answer used and what was left out (promise 9), as JSON."""
        options, context = self.assistant.options, self.context
        nearness = self.passages.nearness(self.text, self.assistant.memory)
        return {
            "model": self.assistant.model.name,
            "budget": options.budget(),
            "tokens": self.segment_tokens(),
            "iterations": self.iterations,
            "seconds": round(time.monotonic() - self.started, 3),
            "first_text_seconds": round(self.first_text, 3) if self.first_text is not None else None,
            "usage": self.usage,
            "beside": self.beside(),
            "offloaded": context.offloaded,
            "given": {**_given(context), "knowledge_base": self.passages.as_json()},
            "nearness": round(nearness, 3),
            "has_source": nearness >= options.source_cosine,
            "left_out": self._left_out(),
            "tools_offered": list(self.tools),
            "calls": self.calls,
            "problems": self.problems,
            "notice": self.notice,
        }

    def _left_out(self) -> dict[str, int]:
        """How much each store holds beyond what was given."""
        sizes = self.assistant.memory.sizes()
        return {"conversation": self.context.hidden} | {
            segment.kind.key: sizes[segment.kind.store] - len(segment.records)
            for segment in self.context.segments
            if segment.kind.store
        }


def _given(context: Context) -> Mapping[str, Any]:
    """What stood in each segment but the knowledge base's, in short."""
    return {
        "conversation": [
            {"id": m.id, "role": m.role, "text": m.content[:120]} for m in context.conversation.records
        ],
        "workflow": [{"query": w.query[:160], "steps": list(w.steps)} for w in context.workflow.records],
        "entity": [{"name": e.name, "type": e.type, "text": e.description} for e in context.entity.records],
        "summary": [{"id": s.id, "text": s.description} for s in context.summary.records],
        **{section.key: list(section.given) for section in context.remembered},
    }
