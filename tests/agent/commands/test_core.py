import pytest

from researchassist.agent import core_memory
from researchassist.errors import MemoryRefused


def test_the_person_writes_sees_and_edits_it(give, memory):
    give("core", "Is vegetarian.\nAnswer in German.")
    assert memory.read_core_memory() == "Is vegetarian.\nAnswer in German."
    [card] = give("core").cards
    assert card.text == "Is vegetarian.\nAnswer in German."
    edit = card.actions[0]
    assert (edit.edit, edit.command) == (True, "/core Is vegetarian.\nAnswer in German.")


def test_every_change_is_listed_with_what_it_changed_and_rests_on(give, memory):
    message = memory.write_conversational_memory("I'm vegetarian", "user", "alice")
    core_memory.append(memory, "Is vegetarian.", core_memory.Basis("I'm vegetarian", message))
    give("core", "Is vegan.")
    edited, added = give("core").rows
    assert (edited.title, edited.text) == ("Written by you", "− Is vegetarian.\n+ Is vegan.")
    assert (added.title, added.text) == ("Added by the assistant", "+ Is vegetarian.")
    assert "on “I'm vegetarian”" in added.facts


def test_changes_are_taken_back_one_by_one(give, memory):
    give("core", "One")
    give("core", "clear")
    assert memory.read_core_memory() == ""
    give("core", "undo")
    assert memory.read_core_memory() == "One"
    give("core", "undo")
    with pytest.raises(MemoryRefused, match="no change"):
        give("core", "undo")


def test_a_text_over_the_limit_changes_nothing(give, memory):
    with pytest.raises(MemoryRefused, match="may have 2,000"):
        give("core", "x" * 2001)
    assert memory.read_core_memory() == ""
