"""Real rows of every store against the schemas of the specification (000 section 3)."""

import pytest

from researchassist.agent.tools import default_tools
from researchassist.agent.turn import call_agent
from tests.record_schemas import problems
from tests.scripted_llm import calls


def test_messages_have_the_shape_of_a_conversation_record(memory):
    message = memory.write_conversational_memory("Who wrote it?", "user", "alice", {"from": "page"})
    assert problems("ConversationRecord", message.as_json()) == []


def test_a_condensed_message_has_it_too(memory):
    message = memory.write_conversational_memory("Who wrote it?", "user", "alice")
    summary = memory.write_summary(
        full_content="x", summary="y", description="z" * 9, thread_id="alice", messages=[message]
    )
    [after] = memory.messages("alice")
    assert after.summary_id == summary.id
    assert problems("ConversationRecord", after.as_json()) == []


@pytest.mark.parametrize("error", [None, "It is closed."])
def test_tool_logs_have_the_shape_of_a_tool_log_record(memory, error):
    memory.write_thread("alice")
    log = memory.write_tool_log(
        thread_id="alice", tool_name="look", tool_args="{}", result="found", error_message=error
    )
    assert problems("ToolLogRecord", log.as_json()) == []
    assert log.status == ("failed" if error else "success")


def test_summaries_have_the_shape_of_a_summary_record(memory):
    made = memory.write_summary(full_content="a", summary="b", description="A label", thread_id=None)
    read = memory.read_summary_memory(made.id)
    assert problems("SummaryRecord", {**read.as_json(), "description": "A label of words"}) == []
    assert read == made


def test_workflows_have_the_shape_of_a_workflow_record(memory):
    made = memory.write_workflow("Find it", ["look() → success"], "Found " * 100)
    assert problems("WorkflowRecord", made.as_json()) == []


def test_entities_have_the_shape_of_an_entity_record(memory):
    made = memory.write_entity("R. Marlow", "person", "Author of Kestrel")
    assert problems("EntityRecord", made.as_json()) == []


def test_every_default_tool_has_the_shape_of_a_retrieved_tool_schema(assistant_with):
    toolbox = assistant_with("unused").toolbox
    found = toolbox.find("anything", k=99)
    assert {tool.name for tool in found} == {tool.name for tool in default_tools()}
    assert all(problems("RetrievedToolSchema", tool.as_json()) == [] for tool in found)


def test_a_turn_gives_the_shape_of_an_agent_turn_result(assistant_with):
    assistant = assistant_with(calls(("get_current_time", "{}")), "It is noon.")
    result = call_agent(assistant, "What time is it?", "alice")
    assert problems("AgentTurnResult", result.as_json()) == []


def test_the_schemas_themselves_notice_what_is_wrong():
    assert problems("EntityRecord", {"name": "", "type": "ROBOT"})
    assert problems("ConversationRecord", {"id": "1", "thread_id": "a", "role": "tool", "content": ""})
    assert problems(
        "ConversationRecord",
        {"id": "1", "thread_id": "a", "role": "user", "content": "", "timestamp": "2026-01-01 noon"},
    )
