"""/summarize"""

import pytest

from researchassist.agent.commands.definition import Action


@pytest.fixture
def said(memory):
    memory.write_conversational_memory("What does arXiv 2310.08560 claim?", "user", "alice")
    memory.write_conversational_memory("Virtual context.", "assistant", "alice")


def test_the_conversation_is_condensed_without_a_model_and_opens_again(give, memory, said):
    result = give("summarize")
    (row,) = result.rows
    assert row.actions == (Action("Open", f"/expand {row.number}"),)
    assert "2310.08560" in row.text
    assert "No language model is set" in result.text
    assert len(memory.messages_of_summary(row.number)) == 2
    assert "Nothing to condense" in give("summarize").text


def test_the_question_of_a_running_turn_stays(give, memory, said):
    memory.open_turn(thread_id="alice", query="And then?", key="k", owner="me", model="m")
    give("summarize")
    assert [one.content for one in memory.unconsolidated_messages("alice")] == ["And then?"]
