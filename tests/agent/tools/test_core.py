import pytest

from researchassist.agent.tools.core import core_memory_append, core_memory_replace
from researchassist.errors import MemoryRefused


def test_it_saves_on_the_words_of_the_running_message_and_says_how_full_it_is(tool_context, memory):
    said = core_memory_append(tool_context, "Asks about owls.", "question about owls")
    assert said == "Saved. Core memory (16 of 2,000 characters) is now:\nAsks about owls."
    assert memory.read_core_memory() == "Asks about owls."


def test_words_of_an_earlier_message_or_an_answer_do_not_count(tool_context, memory):
    memory.write_conversational_memory("I collect stamps of owls", "user", "alice")
    memory.write_conversational_memory("You collect owls in glass", "assistant", "alice")
    for quote in ("I collect stamps", "collect owls in glass"):
        with pytest.raises(MemoryRefused):
            core_memory_append(tool_context, "Collects owls.", quote)
    assert memory.read_core_memory() == ""


def test_it_corrects_what_stands_there(tool_context, memory):
    core_memory_append(tool_context, "Asks about eagles and owls.", "about owls")
    core_memory_replace(tool_context, "eagles and owls", "owls", "question about owls")
    assert memory.read_core_memory() == "Asks about owls."
