"""Taking back what was done to what is known of the person."""

import pytest

from researchassist.errors import MemoryRefused
from researchassist.memory.fact_records import FactDecision, FactDraft, FactStep

from .test_facts import SEAFOOD, VEGETARIAN, add, replaced, texts


def test_every_change_can_be_undone_back_to_the_start(memory):
    [told] = add(memory, SEAFOOD)
    states = [texts(memory)]
    replaced(memory, VEGETARIAN, told.fact_id)
    states.append(texts(memory))
    step = FactStep("UPDATE", memory.facts()[0].id, "User is vegetarian since 2019")
    memory.write_facts(
        [FactDecision(FactDraft(text="Vegetarian since 2019", attribute="diet"), (step,))], by="writer"
    )
    states.append(texts(memory))
    memory.forget_fact(memory.facts()[0].id)
    for before in reversed(states):
        memory.undo_facts([memory.latest_fact_change().batch])
        assert texts(memory) == before
    memory.undo_facts([memory.latest_fact_change().batch])
    assert (texts(memory), memory.latest_fact_change()) == ([], None)
    assert [c.operation for c in memory.fact_changes()].count("UNDO") == 5
    with pytest.raises(MemoryRefused, match="nothing to undo"):
        memory.undo_facts(["gone"])


def test_what_others_were_built_on_is_undone_last(memory):
    [told] = add(memory, SEAFOOD)
    replaced(memory, VEGETARIAN, told.fact_id)
    with pytest.raises(MemoryRefused, match="changed again"):
        memory.undo_facts([told.batch])
    assert texts(memory) == ["User is vegetarian"]


def test_undoing_a_forgetting_does_not_double_what_was_said_again(memory):
    [told] = add(memory, SEAFOOD)
    batch = memory.forget_fact(told.fact_id)
    add(memory, SEAFOOD, lift=True)
    with pytest.raises(MemoryRefused):
        memory.undo_facts([batch])
    assert texts(memory) == ["User loves seafood"]


def test_a_forgetting_is_undone_after_its_conversation_was_deleted(memory):
    message = memory.write_conversational_memory("I love seafood", "user", "alice")
    draft = FactDraft(text="User loves seafood", quote="I love seafood", message_id=message.id)
    [told] = memory.write_facts([FactDecision(draft)], by="writer")
    memory.forget_fact(told.fact_id)
    memory.forget_thread("alice")
    memory.undo_facts([memory.latest_fact_change().batch])
    [fact] = memory.facts()
    assert (fact.text, fact.quote, fact.message_id) == ("User loves seafood", "I love seafood", None)
