"""Facts in the person's hands, beside what the commands' own tests show."""

import pytest

from researchassist.agent import fact_control
from researchassist.agent.turn import call_agent
from researchassist.errors import MemoryRefused
from tests.agent.test_remember import SEAFOOD, writer_of


def test_all_that_one_answer_taught_is_taken_back_together(assistant_with, memory):
    cats = {"quote": "I like cats", "fact": "User likes cats", "attribute": "taste"}
    assistant = assistant_with("Good.", writer=writer_of([SEAFOOD, cats]))
    turn = call_agent(assistant, "I love seafood. I like cats.", "alice").turn
    kept = memory.fact_changes_of_turns([turn.id])
    assert fact_control.kept_by(kept) == ["User loves seafood", "User likes cats"]
    assert len(fact_control.undo_turn(memory, turn.id)) == 2
    assert memory.facts() == memory.fact_changes_of_turns([turn.id]) == []
    with pytest.raises(MemoryRefused):
        fact_control.undo_turn(memory, turn.id)


def test_facts_are_found_by_other_forms_of_their_words(assistant_with, memory):
    fact_control.tell(assistant_with(), "I live in Oslo", "alice")
    assert [fact.text for fact in fact_control.matching(memory, "living Oslo")] == ["I live in Oslo"]
    assert fact_control.matching(memory, "Bergen") == []
