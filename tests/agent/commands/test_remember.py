"""/remember"""

import pytest

from researchassist.agent.commands.definition import CommandContext
from researchassist.agent.commands.remember import run
from researchassist.errors import CommandRefused, MemoryRefused
from tests.agent.test_recall import asked, given
from tests.agent.test_remember import writer_of


def test_what_is_typed_is_remembered_with_undo(give, memory):
    [card] = give("remember", "My seal is QX-77").cards
    assert card.title == "My seal is QX-77"
    assert [action.label for action in card.actions] == ["Undo"]
    give("undo", card.actions[0].command.split()[1])
    assert memory.facts() == []


def test_the_same_three_times_is_one_memory_that_stands_in_a_request_once(give, memory):
    for text in ("My seal is QX-77", "my  seal is qx-77.", "MY SEAL IS QX-77"):
        give("remember", text)
    assert [fact.text for fact in memory.facts()] == ["My seal is QX-77"]
    context = asked(memory, "What is my seal?")
    assert given(context) == ["My seal is QX-77"]
    assert "- The person: “My seal is QX-77” (told 20" in context.system_content()
    assert context.system_content().count("QX-77") == 1


def test_what_was_forgotten_can_be_said_again(give, memory):
    number = give("remember", "My seal is QX-77").cards[0].number
    give("forget", number)
    assert "Remembered" in give("remember", "My seal is QX-77").text
    assert len(memory.facts()) == 1


def test_a_writer_model_files_it_and_replaces_what_it_contradicts(assistant_with, memory):
    seafood = {
        "quote": "I love seafood",
        "fact": "User loves seafood",
        "attribute": "diet",
        "kind": "semantic",
    }
    vegetarian = {"quote": "I am vegetarian", "fact": "User is vegetarian", "attribute": "diet"}
    writer = writer_of(
        lambda prompt: [seafood] if "I love seafood" in prompt else [vegetarian],
        [{"op": "DELETE", "id": 1}, {"op": "ADD"}],
    )
    context = CommandContext(assistant_with(writer=writer), "alice")
    run(context, "I love seafood")
    result = run(context, "I am vegetarian")
    assert "replaced" in result.text
    assert [(fact.text, fact.attribute) for fact in memory.facts()] == [("User is vegetarian", "diet")]


@pytest.mark.parametrize("reply", ["no list", '[{"quote": "no", "fact": "User is somebody else"}]'])
def test_a_model_that_fails_costs_nothing_of_what_was_typed(assistant_with, memory, reply: str):
    run(CommandContext(assistant_with(writer=writer_of(reply)), "alice"), "The deadline is 14 March")
    assert [(fact.text, fact.importance) for fact in memory.facts()] == [("The deadline is 14 March", 7)]


def test_secrets_and_nothing_are_refused_with_a_sentence(give, memory):
    with pytest.raises(MemoryRefused, match="secret"):
        give("remember", "my password is hunter2")
    with pytest.raises(CommandRefused, match="Say what"):
        give("remember", "  ")
    assert memory.facts() == []


def test_nothing_is_remembered_while_memory_is_off_or_the_conversation_private(give, memory):
    memory.set_personal_memory(on=False)
    with pytest.raises(MemoryRefused, match="memory is off"):
        give("remember", "My seal is QX-77")
    memory.set_personal_memory(on=True)
    give("private")
    with pytest.raises(MemoryRefused, match="private"):
        give("remember", "My seal is QX-77")
