import pytest

from researchassist.errors import CommandRefused, UnknownLesson
from tests.memory.test_lessons import plant


def test_it_shows_core_memory_and_the_profile(give, memory):
    memory.write_profile("User reads papers.", folded=[1], before=None)
    give("core", "Is vegetarian.")
    core, profile = give("memory").cards
    assert (core.title, core.text) == ("Core memory", "Is vegetarian.")
    assert (profile.title, profile.text) == ("Profile", "User reads papers.")


def test_where_nothing_is_remembered_core_memory_is_shown_empty(give):
    [core] = give("memory").cards
    assert core.text == "(empty)"
    assert [one.label for one in core.actions] == ["Edit"]


def test_facts_are_listed_by_number_with_what_can_be_done(give, memory):
    give("remember", "I love seafood")
    give("remember", "I love owls")
    result = give("memory")
    assert [row.title for row in result.rows] == ["I love owls", "I love seafood"]
    assert [row.number for row in result.rows] == [str(fact.id) for fact in reversed(memory.facts())]
    assert [action.label for action in result.rows[0].actions] == ["Why", "Forget"]
    assert give("memory", "facts").cards == ()


def test_memory_is_turned_off_and_on(give, memory):
    give("remember", "I love seafood")
    give("memory", "off")
    assert not memory.personal_memory_is_on()
    assert "off" in give("memory").text
    assert len(give("memory").rows) == 1
    give("memory", "ON")
    assert memory.personal_memory_is_on()
    with pytest.raises(CommandRefused):
        give("memory", "perhaps")


def test_lessons_of_earlier_work_are_listed_and_forgotten(give, memory):
    assert "No lessons" in give("memory", "lessons").text
    plant(memory)
    rows = give("memory", "lessons").rows
    assert rows[0].title == "Check the quota again."
    give(*rows[1].actions[0].command.removeprefix("/").split(" ", 1))
    assert len(memory.lessons()) == 2
    with pytest.raises(UnknownLesson):
        give("forget", "lesson 99")
