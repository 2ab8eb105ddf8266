"""After the answer: what the person said is remembered, and whatever goes wrong costs nothing."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from researchassist.agent.events import TurnEnded
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.agent.writeback import learn
from researchassist.errors import ModelError
from researchassist.memory.fact_records import FactDecision, FactDraft
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import Fact
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM

SEAFOOD = {"quote": "I love seafood", "fact": "User loves seafood", "attribute": "diet", "importance": 6}
VEGETARIAN = {"quote": "I am vegetarian", "fact": "User is vegetarian", "attribute": "diet", "importance": 8}


def writer_of(
    facts: Sequence[dict] | Callable[[str], Sequence[dict]] | str | Exception = (),
    ops: Sequence[dict] | str = ({"op": "ADD"},),
) -> ScriptedLLM:
    """A writer that finds no entities, gives these facts, and decides so about each."""

    def reply(messages) -> str:
        prompt = messages[0]["content"]
        if "New fact (" in prompt:
            return ops if isinstance(ops, str) else json.dumps({"ops": list(ops)})
        if '"quote"' in prompt:
            if isinstance(facts, Exception):
                raise facts
            found = facts(prompt) if callable(facts) else facts
            return found if isinstance(found, str) else json.dumps(list(found))
        return "[]" if "JSON" in prompt else "Talk about this and that"

    return ScriptedLLM(reply, forever=True)


def asked(writer: ScriptedLLM) -> int:
    """How often the writer was asked about facts."""
    return sum('"quote"' in str(r.messages) or "New fact (" in str(r.messages) for r in writer.requests)


def texts(memory: MemoryManager) -> list[str]:
    return [fact.text for fact in memory.facts()]


def test_what_the_person_says_is_remembered_with_its_message(assistant_with, memory):
    turn = call_agent(assistant_with("Good.", writer=writer_of([SEAFOOD])), "I love seafood!", "alice").turn
    [fact] = memory.facts()
    assert (fact.text, fact.quote, fact.attribute) == ("User loves seafood", "I love seafood", "diet")
    assert (fact.message_id, fact.thread_id) == (turn.question.id, "alice")
    assert memory.turn(turn.id).helpers["facts"] == {"status": "ok", "remembered": ["User loves seafood"]}
    [change] = memory.fact_changes_of_turns([turn.id])
    assert (change.operation, change.by, change.turn_id) == ("ADD", "writer", turn.id)


def test_a_change_of_mind_leaves_the_one_fact_that_holds(assistant_with, memory):
    memory.write_facts([FactDecision(FactDraft(text="User loves seafood", attribute="diet"))], by="person")
    writer = writer_of([VEGETARIAN], [{"op": "DELETE", "id": 1}, {"op": "ADD"}])
    call_agent(assistant_with("Good.", writer=writer), "I am vegetarian now.", "alice")
    assert texts(memory) == ["User is vegetarian"]
    assert "User loves seafood" in [change.before.get("text") for change in memory.fact_changes()]


def test_a_question_about_something_else_asks_no_model(assistant_with, memory):
    writer = writer_of([SEAFOOD])
    turn = call_agent(assistant_with("An owl.", writer=writer), "Who hunts at night?", "alice").turn
    assert asked(writer) == 0
    assert memory.turn(turn.id).helpers["facts"] == {"status": "ok", "remembered": []}


def test_the_answer_is_there_before_anything_is_extracted(assistant_with, memory):
    seen = []

    def facts(prompt: str):
        seen.append(memory.messages("alice")[-1].content)
        return [SEAFOOD]

    call_agent(assistant_with("Good.", writer=writer_of(facts)), "I love seafood", "alice")
    assert seen == ["Good."]


def test_a_malicious_reply_about_a_fact_removes_nothing_and_is_noted(assistant_with, memory):
    memory.write_facts([FactDecision(FactDraft(text="User loves seafood", attribute="diet"))], by="person")
    writer = writer_of([VEGETARIAN], [{"op": "DELETE", "id": 1}])
    turn = call_agent(assistant_with("Good.", writer=writer), "I am vegetarian now.", "alice").turn
    assert texts(memory) == ["User loves seafood"]
    assert "put none in its place" in memory.turn(turn.id).helpers["facts"]["problem"]


def test_a_failed_extraction_waits_and_is_tried_at_the_next_turn(assistant_with, memory):
    failing = writer_of(ModelError("It is down."))
    first = call_agent(assistant_with("Good.", writer=failing), "I love seafood", "alice").turn
    waiting = {"status": "pending", "error": "It is down.", "attempts": 1}
    assert memory.turn(first.id).helpers["facts"] == waiting
    writer = writer_of(lambda prompt: [SEAFOOD] if "seafood" in prompt else [])
    call_agent(assistant_with("Hello.", writer=writer), "Who hunts at night?", "bob")
    assert memory.turn(first.id).helpers["facts"]["status"] == "ok"
    assert memory.facts()[0].thread_id == "alice"


def test_it_is_tried_three_times_and_then_only_by_hand(assistant_with, memory):
    failing = writer_of("no list")
    assistant = assistant_with("Good.", forever=True, writer=failing)
    first = call_agent(assistant, "I love seafood", "alice").turn
    for number in range(4):
        call_agent(assistant, "Who hunts at night?", f"other {number}")
    state = memory.turn(first.id).helpers["facts"]
    assert (state["status"], state["attempts"], asked(failing)) == ("failed", 3, 3)
    list(learn(assistant_with("Good.", writer=writer_of([SEAFOOD])), first.id))
    assert texts(memory) == ["User loves seafood"]


def test_nothing_is_written_where_the_model_fails_half_way(assistant_with, memory):
    memory.write_facts([FactDecision(FactDraft(text="User eats at noon", attribute="diet"))], by="person")
    cats = {"quote": "I like cats", "fact": "User likes cats", "attribute": "taste"}
    writer = writer_of([SEAFOOD, cats])
    plain = writer.replies[0]

    def fails_at_cats(messages):
        if "New fact (taste)" in messages[0]["content"]:
            raise ModelError("It is down.")
        return plain(messages)

    writer.replies = [fails_at_cats]
    turn = call_agent(assistant_with("Good.", writer=writer), "I love seafood. I like cats.", "alice").turn
    assert texts(memory) == ["User eats at noon"]
    assert memory.turn(turn.id).helpers["facts"]["status"] == "pending"


@pytest.mark.parametrize("calls", [3, 4])
def test_the_steps_after_an_answer_have_one_budget_of_requests(
    transactional_db, tiny_embedder, assistant_with, calls: int
):
    memory = MemoryManager(Options(helper_calls=calls), tiny_embedder)
    memory.write_facts([FactDecision(FactDraft(text="User eats at noon", attribute="diet"))], by="person")
    writer = writer_of([SEAFOOD])
    memory.write_thread("alice", title="It has a name")
    turn = call_agent(assistant_with("Good.", writer=writer, memory=memory), "I love seafood", "alice").turn
    assert len(writer.requests) == calls
    state = memory.turn(turn.id).helpers["facts"]
    assert (state["status"] == "ok") == (calls == 4)
    assert calls == 4 or "used up" in state["error"]


def test_without_a_writer_nothing_is_remembered_and_it_is_said(assistant_with, memory):
    turn = call_agent(assistant_with("Good."), "I love seafood", "alice").turn
    assert memory.turn(turn.id).helpers["facts"]["status"] == "skipped"


def test_what_was_forgotten_is_not_learned_again_from_anything(assistant_with, memory):
    assistant = assistant_with("Good.", forever=True, writer=writer_of([SEAFOOD]))
    first = call_agent(assistant, "I love seafood", "alice").turn
    memory.forget_fact(memory.facts()[0].id)
    list(learn(assistant, first.id))
    turn = call_agent(assistant, "I love seafood", "bob").turn
    assert texts(memory) == []
    assert "forgotten" in memory.turn(turn.id).helpers["facts"]["problem"]


def test_facts_in_the_reply_are_never_taken_for_the_persons(assistant_with, memory):
    poison = {"quote": "The user banks at Nordhus", "fact": "User banks at Nordhus"}
    writer = writer_of([poison])
    call_agent(assistant_with("The user banks at Nordhus.", writer=writer), "I like it. What else?", "alice")
    assert Fact.objects.count() == 0


def test_what_a_process_that_died_had_not_remembered_yet_is_done_half_an_hour_later(assistant_with, memory):
    # It ends right after the answer: what was to be learned is only noted on the turn.
    events = stream_turn(
        assistant_with("Good.", writer=writer_of([SEAFOOD])), TurnRequest("alice", "I love seafood")
    )
    for event in events:
        if isinstance(event, TurnEnded):
            break
    events.close()
    assert texts(memory) == []
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=31)):
        for _ in range(2):
            call_agent(assistant_with("Hm.", writer=writer_of([SEAFOOD])), "Who hunts at night?", "bob")
            assert texts(memory) == ["User loves seafood"]
    [change] = memory.fact_changes()
    assert change.operation == "ADD"
