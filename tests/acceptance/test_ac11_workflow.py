"""AC11 (R11, D8): a turn with two calls leaves one workflow; one without steps is never read."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import call_agent
from researchassist.memory.models import WorkflowMemory
from tests.fixture_tools import fixture_tools
from tests.scripted_llm import calls

QUERY = "Find the Kestrel paper and fetch its notes."


def test_two_calls_leave_one_workflow_that_a_similar_task_finds(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    assistant = make_assistant(
        calls(("paper_search", '{"query": "kestrel"}')),
        calls(("fetch_notes", '{"filename": "kestrel-notes.md"}')),
        "The notes say: " + "41% fewer resumption errors. " * 20,
        tools=fixture_tools(),
    )
    assistant.memory.write_workflow(QUERY, [], "a control without steps")

    call_agent(assistant, QUERY, "t")

    row = WorkflowMemory.objects.get(num_steps__gt=0)
    assert row.query == QUERY
    assert row.steps == [
        'paper_search(query="kestrel") → success',
        'fetch_notes(filename="kestrel-notes.md") → success',
    ]
    assert row.num_steps == 2
    assert len(row.answer_excerpt) <= 200
    assert row.success is True
    found = assistant.memory.read_workflow("find a paper and fetch the notes on it").records
    assert [record.id for record in found] == [str(row.pk)]
    assert WorkflowMemory.objects.count() == 2, "the control is there and was not read"
    evidence(
        f"workflow_memory row {row.pk}: 2 steps with outcomes; zero-step control stored and not returned"
    )
