"""/undo"""

import pytest

from researchassist.errors import MemoryRefused


def test_changes_are_taken_back_one_by_one_to_the_start(give, memory):
    number = give("remember", "I love seafood").cards[0].number
    give("forget", number)
    assert give("undo").rows[0].title.startswith("UNDO")
    assert len(memory.facts()) == 1
    give("undo")
    assert memory.facts() == []
    with pytest.raises(MemoryRefused, match="could be undone"):
        give("undo")


@pytest.mark.parametrize("given", ["99", "1"])
def test_what_cannot_be_undone_is_refused(give, given: str):
    with pytest.raises(MemoryRefused, match="no change"):
        give("undo", given)


def test_the_newest_change_is_taken_back_whether_of_a_fact_or_of_core_memory(give, memory):
    give("core", "Is a physicist.")
    give("remember", "I love seafood")
    give("core", "Is a poet.")
    assert give("undo").cards[0].text == "Is a physicist."
    give("undo")
    assert (memory.facts(), memory.read_core_memory()) == ([], "Is a physicist.")
    give("undo")
    assert memory.read_core_memory() == ""
    with pytest.raises(MemoryRefused):
        give("undo")
