import pytest
from django.core.management.base import CommandError


def test_a_conversation_is_condensed_and_stays(command, memory):
    for number in range(3):
        memory.write_conversational_memory(f"message {number}", "user", "alice")
    text = command("summarize_thread", "alice")
    assert "[Summary ID: " in text
    assert "### Technical Information" in text
    assert len(memory.messages("alice")) == 3
    assert memory.unconsolidated_messages("alice") == []


def test_again_there_is_nothing_to_summarize(command, memory):
    memory.write_conversational_memory("hello", "user", "alice")
    command("summarize_thread", "alice")
    assert "Nothing to summarize" in command("summarize_thread", "alice")


def test_an_unknown_conversation_is_told(command):
    with pytest.raises(CommandError, match="There is no conversation 'nobody'"):
        command("summarize_thread", "nobody")
