"""What ARCHITECTURE.md says always happens, happens in a turn in which the model calls nothing."""

from typing import Any

import pytest

from researchassist.agent import assistant as assistants
from researchassist.agent import budget, turn
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM, calls
from tests.tiny_embedder import TinyEmbedder

READS = [
    "read_conversational_memory",
    "read_knowledge_base",
    "read_workflow",
    "read_entity",
    "read_summary_context",
    "read_toolbox",
]


class Watched(MemoryManager):
    """A real memory that keeps the names of what is called on it, in order."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.called: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith(("read_", "write_", "open_turn", "finish_turn", "unconsolidated")):
            self.called.append(name)
        return super().__getattribute__(name)


@pytest.mark.django_db(transaction=True)
def test_every_programmatic_operation_runs_without_the_models_help(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Watched(Options(), TinyEmbedder())
    entities = '[{"name": "Oslo", "type": "PLACE", "description": "a city"}]'
    writer = ScriptedLLM(entities, "[]", "A name")
    checks: list[int] = []
    monitor = budget.monitor
    monkeypatch.setattr(
        budget, "monitor", lambda tokens, *rest: (checks.append(tokens), monitor(tokens, *rest))[1]
    )
    made = assistants.build(memory, model=ScriptedLLM("An answer."), writer=writer)
    made.toolbox.ensure_registered()
    memory.called.clear()

    result = turn.call_agent(made, "Where is Oslo?", "t")

    assert result.steps == ()
    assert [name for name in memory.called if name in READS] == READS
    before_answer = memory.called[: memory.called.index("finish_turn")]
    assert before_answer.index("open_turn") < before_answer.index("read_conversational_memory")
    assert [m.role for m in memory.messages("t")] == ["user", "assistant"]
    assert memory.read_entity("Oslo").records[0].name == "Oslo"
    assert memory.called.index("write_entity") > memory.called.index("finish_turn")
    assert "unconsolidated_messages" in memory.called, "what left the window was looked at"
    assert len(checks) >= 2, "the budget was checked after reading and before the model call"


@pytest.mark.django_db(transaction=True)
def test_logs_and_workflow_are_written_where_the_model_does_call() -> None:
    memory = Watched(Options(), TinyEmbedder())
    made = assistants.build(memory, model=ScriptedLLM(calls(("get_current_time", "{}")), "Noon."))

    turn.call_agent(made, "What time is it?", "t")

    assert [log.tool_name for log in memory.read_tool_log("t")] == ["get_current_time"]
    assert [w.num_steps for w in memory.read_workflow("What time is it?").records] == [1]
