"""Facts follow their messages: they go when the question is asked anew, and come back with it."""

from types import SimpleNamespace

import pytest

from researchassist.agent.threads import show_version
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.memory.fact_records import FactDecision, FactDraft
from researchassist.memory.stores.turns import Place
from tests.agent.test_remember import SEAFOOD, VEGETARIAN, texts, writer_of

RUST = {"quote": "I use Rust", "fact": "User uses Rust", "attribute": "tools"}


@pytest.fixture
def talk(assistant_with, memory):
    """Says something in alice's conversation, in place of an earlier question where one is given."""

    def said(text: str, facts=(), ops=({"op": "ADD"},), edit_of: str | None = None):
        assistant = assistant_with("Good.", writer=writer_of(facts, ops))
        if edit_of is None:
            return call_agent(assistant, text, "alice").turn.question.id
        list(stream_turn(assistant, TurnRequest("alice", text, edit_of=edit_of)))
        return memory.messages("alice")[-2].id

    said.back_to = lambda message: show_version(SimpleNamespace(assistant=assistant_with("Good.")), message)
    return said


def test_what_was_remembered_of_an_edited_message_goes_and_comes_back_with_it(talk, memory):
    first = talk("I love seafood", [SEAFOOD])
    other = talk("What is an owl?", edit_of=first)
    assert texts(memory) == []
    assert memory.recall_facts("seafood") == []
    talk.back_to(first)
    assert texts(memory) == ["User loves seafood"]
    talk.back_to(other)
    talk.back_to(first)
    assert [fact.text for fact in memory.recall_facts("seafood")] == ["User loves seafood"]
    [fact] = memory.facts()
    assert [one.reason for one in memory.fact_changes(fact.id)][1:3] == [
        "Its message was asked anew.", "Its message is part of the conversation again.",
    ]  # fmt: skip
    # It is as undoable as before.
    memory.undo_facts([memory.latest_fact_change().batch])
    assert texts(memory) == []


def test_what_it_had_replaced_stands_again(talk, memory):
    talk("I love seafood", [SEAFOOD])
    second = talk("I am vegetarian", [VEGETARIAN], [{"op": "DELETE", "id": 1}, {"op": "ADD"}])
    assert texts(memory) == ["User is vegetarian"]
    talk("Who hunts at night?", edit_of=second)
    assert texts(memory) == ["User loves seafood"]
    talk.back_to(second)
    assert texts(memory) == ["User is vegetarian"]


def test_what_it_had_completed_is_as_it_was_before(talk, memory):
    told = FactDraft(text="User is vegetarian", attribute="diet")
    memory.write_facts([FactDecision(told)], by="person")
    more = {
        "quote": "I am vegetarian since 2019",
        "fact": "User is vegetarian since 2019",
        "attribute": "diet",
    }
    update = [{"op": "UPDATE", "id": 1, "text": "User is vegetarian since 2019"}]
    message = talk("I am vegetarian since 2019", [more], update)
    assert texts(memory) == ["User is vegetarian since 2019"]
    talk("Who hunts at night?", edit_of=message)
    assert texts(memory) == ["User is vegetarian"]
    talk.back_to(message)
    assert texts(memory) == ["User is vegetarian since 2019"]
    assert memory.recall_facts("since 2019")[0].text == "User is vegetarian since 2019"


def test_an_edited_message_that_says_the_same_teaches_it_again(talk, memory):
    first = talk("I love seafood. What is an owl?", [SEAFOOD])
    talk("I love seafood. What is a hawk?", [SEAFOOD], edit_of=first)
    assert texts(memory) == ["User loves seafood"]
    talk.back_to(first)
    assert texts(memory) == ["User loves seafood"]


def test_what_another_message_says_too_stays(talk, memory):
    first = talk("I love seafood", [SEAFOOD])
    memory.write_facts(
        [FactDecision(FactDraft(text="User loves seafood", attribute="diet"))],
        by="writer",
        turn_id=_turn_in_another_thread(memory),
    )
    talk("Who hunts at night?", edit_of=first)
    assert texts(memory) == ["User loves seafood"]


def _turn_in_another_thread(memory) -> str:
    return memory.open_turn(thread_id="bob", query="I love seafood", key="k", owner="1@1", model="m").id


def test_what_was_forgotten_meanwhile_does_not_come_back_with_its_message(talk, memory):
    first = talk("I love seafood. I use Rust.", [SEAFOOD, RUST])
    memory.forget_fact(next(fact.id for fact in memory.facts() if "seafood" in fact.text))
    other = talk("Who hunts at night?", edit_of=first)
    assert texts(memory) == []
    talk.back_to(first)
    assert texts(memory) == ["User uses Rust"]
    talk.back_to(other)
    assert texts(memory) == []


@pytest.mark.parametrize("meanwhile", ["private", "off", "deleted", "edited", "erased"])
def test_nothing_is_kept_of_what_may_not_be_remembered_any_more(assistant_with, memory, meanwhile: str):
    # The person acts while the model is being asked.
    def facts(prompt: str):
        if meanwhile == "private":
            memory.set_privacy("alice", "private")
        elif meanwhile == "off":
            memory.set_personal_memory(on=False)
        elif meanwhile == "deleted":
            memory.forget_thread("alice")
        elif meanwhile == "erased":
            memory.erase_personal_memory()
        else:
            question = memory.messages("alice")[0].id
            place = Place(question)
            memory.open_turn(thread_id="alice", query="Hm?", key="k", owner="1@1", model="m", place=place)
        return [SEAFOOD]

    list(
        stream_turn(assistant_with("Good.", writer=writer_of(facts)), TurnRequest("alice", "I love seafood"))
    )
    assert memory.facts(("active", "replaced", "forgotten")) == []
