"""The state of one turn while it runs, and the manifest of what it used."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from researchassist.llm.types import Message, Reply, ToolSchema
from researchassist.memory.records import ToolRecord, TurnRecord

from . import budget
from .assistant import Assistant
from .context import Context, new_fence
from .toolbox import ToolResult
from .tools.definition import ToolContext

READ_TOOLBOX = "read_toolbox"
EXPAND_SUMMARY = "expand_summary"
RECALL_SEARCH = "recall_search"


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
    iterations: int = 0
    text: str = ""
    outcome: str = ""
    usage: list[dict[str, int]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    first_text: float | None = None

    @property
    def tool_context(self) -> ToolContext:
        """What the harness hands to tools."""
        return ToolContext(self.assistant, self.turn.question, self.turn.id)

    @property
    def schemas(self) -> list[ToolSchema]:
        """The tools offered now, in OpenAI's format."""
        return [record.as_json() for record in self.tools.values()]

    def offer(self) -> None:
        """Finds the tools for the question; what the context points at is always among them (R4)."""
        standing = [READ_TOOLBOX]
        if self.context.summary.records:
            standing.append(EXPAND_SUMMARY)
        if self.context.hidden:
            standing.append(RECALL_SEARCH)
        found = self.assistant.toolbox.tools_for(self.turn.question.content, standing)
        self.tools = {record.name: record for record in found}

    def note_reply(self, reply: Reply) -> None:
        """Keeps what the server counted."""
        if reply.usage is not None:
            self.usage.append(
                {"prompt": reply.usage.prompt_tokens, "completion": reply.usage.completion_tokens}
            )

    def note_result(self, result: ToolResult) -> None:
        """Keeps how a call went, and offers what a look into the toolbox found."""
        self.steps.append(result.step)
        self.log_ids[result.call.id] = result.log_id
        self.calls.append(
            {
                "name": result.call.name,
                "arguments": result.arguments,
                "status": result.status,
                "log_id": result.log_id,
                "seconds": round(result.seconds, 3),
            }
        )
        for name in result.offers:
            record = self.assistant.memory.tool(name)
            if record is not None:
                self.tools.setdefault(name, record)

    def segment_tokens(self) -> dict[str, int]:
        """Estimated tokens by part of the first request."""
        segments = {s.kind.key: budget.estimate(s.text(self.fence)) for s in self.context.segments}
        return {
            "system": budget.estimate(self.context.system_content()),
            "question": budget.estimate(self.turn.question.content),
            **segments,
            "tools": budget.request_tokens([], self.schemas) if self.tools else 0,
        }

    def manifest(self) -> dict[str, Any]:
        """What the answer used and what was left out (promise 9), as JSON."""
        options, context = self.assistant.options, self.context
        return {
            "model": self.assistant.model.name,
            "budget": options.budget(),
            "tokens": self.segment_tokens(),
            "iterations": self.iterations,
            "seconds": round(time.monotonic() - self.started, 3),
            "first_text_seconds": round(self.first_text, 3) if self.first_text is not None else None,
            "usage": self.usage,
            "offloaded": context.offloaded,
            "given": _given(context),
            "left_out": self._left_out(),
            "tools_offered": list(self.tools),
            "calls": self.calls,
            "problems": self.problems,
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
    """What stood in each segment, in short."""
    return {
        "conversation": [{"role": m.role, "text": m.content[:120]} for m in context.conversation.records],
        "knowledge_base": [
            {
                "title": p.title,
                "source": p.source,
                "page": p.metadata.get("page"),
                "passage": p.metadata.get("chunk_id", 0) + 1,
                "of": p.metadata.get("num_chunks", 1),
                "score": round(p.score, 3),
                "text": p.text,
            }
            for p in context.knowledge_base.records
        ],
        "workflow": [{"query": w.query[:160], "steps": list(w.steps)} for w in context.workflow.records],
        "entity": [{"name": e.name, "type": e.type, "text": e.description} for e in context.entity.records],
        "summary": [{"id": s.id, "text": s.description} for s in context.summary.records],
    }
