import json

import pytest

from researchassist.agent.turn import call_agent
from researchassist.agent.writeback import learn
from researchassist.errors import ModelError
from tests.scripted_llm import ScriptedLLM

MARLOW = json.dumps([{"name": "Marlow", "type": "PERSON", "description": "An author."}])
OSLO = json.dumps([{"name": "Oslo", "type": "PLACE", "description": "A city."}])


@pytest.fixture(autouse=True)
def _named(memory) -> None:
    """The thread has its name, so that the writer is asked for none."""
    memory.write_thread("alice", title="Birds")


def test_entities_of_question_and_answer_are_kept_after_the_answer(assistant_with, memory):
    writer = ScriptedLLM(MARLOW, OSLO)
    turn = call_agent(assistant_with("In Oslo.", writer=writer), "Where is Marlow?", "alice").turn
    helpers = memory.turn(turn.id).helpers
    assert helpers["entities_question"] == {"status": "ok", "names": ["Marlow"]}
    assert helpers["entities_answer"] == {"status": "ok", "names": ["Oslo"]}
    assert "Where is Marlow?" in writer.requests[0].messages[0]["content"]
    assert "In Oslo." in writer.requests[1].messages[0]["content"]


def test_a_failing_extraction_leaves_the_answer_and_is_recorded(assistant_with, memory):
    writer = ScriptedLLM(ModelError("It is down."), OSLO)
    result = call_agent(assistant_with("In Oslo.", writer=writer), "Where is Marlow?", "alice")
    helpers = memory.turn(result.turn.id).helpers
    assert result.final_answer == memory.messages("alice")[-1].content == "In Oslo."
    assert helpers["entities_question"] == {"status": "failed", "error": "It is down."}
    assert helpers["entities_answer"]["status"] == "ok"


def test_what_failed_is_tried_again_and_what_went_well_is_not(assistant_with, memory):
    writer = ScriptedLLM(ModelError("It is down."), OSLO, MARLOW)
    assistant = assistant_with("In Oslo.", writer=writer)
    turn = call_agent(assistant, "Where is Marlow?", "alice").turn
    again = list(learn(assistant, turn.id))
    assert [event.name for event in again] == ["entities_question"]
    assert memory.turn(turn.id).helpers["entities_question"]["status"] == "ok"
    assert list(learn(assistant, turn.id)) == []


def test_a_bug_in_a_step_after_the_answer_leaves_the_answer(assistant_with, memory):
    writer = ScriptedLLM(ValueError("a bug"), ValueError("a bug"))
    result = call_agent(assistant_with("In Oslo.", writer=writer), "Where?", "alice")
    assert result.turn.outcome == "answered"
    assert memory.turn(result.turn.id).helpers["entities_answer"] == {"status": "failed", "error": "a bug"}


def test_without_a_writer_entities_are_skipped_and_it_is_said(assistant_with, memory):
    turn = call_agent(assistant_with("An owl."), "Who?", "alice").turn
    assert memory.turn(turn.id).helpers["entities_question"]["status"] == "skipped"


@pytest.mark.parametrize(("earlier", "condensed"), [(18, 0), (19, 11), (30, 22)])
def test_what_left_the_window_is_condensed_once_it_is_more_than_ten(
    assistant_with, memory, earlier, condensed
):
    for number in range(earlier):
        memory.write_conversational_memory(f"earlier {number}", "user", "alice")
    turn = call_agent(assistant_with("An owl."), "Who?", "alice").turn
    left = memory.unconsolidated_messages("alice")
    assert len(left) == earlier + 2 - condensed
    assert [m.content for m in left[-2:]] == ["Who?", "An owl."]
    assert bool(memory.turn(turn.id).helpers["condense"]["summaries"]) == bool(condensed)


def test_the_window_itself_is_never_condensed(assistant_with, memory):
    for number in range(40):
        memory.write_conversational_memory(f"earlier {number}", "user", "alice")
    call_agent(assistant_with("An owl."), "Who?", "alice")
    assert len(memory.unconsolidated_messages("alice")) == 10


def test_a_turn_without_an_answer_learns_nothing(assistant_with, memory):
    writer = ScriptedLLM()
    assistant = assistant_with(ModelError("It is down."), writer=writer)
    with pytest.raises(ModelError):
        call_agent(assistant, "Who?", "alice")
    assert writer.requests == []


def test_learning_from_a_turn_that_was_deleted_does_nothing(assistant_with, memory):
    assistant = assistant_with("An owl.")
    turn = call_agent(assistant, "Who?", "alice").turn
    memory.delete_thread("alice")
    assert list(learn(assistant, turn.id)) == []
