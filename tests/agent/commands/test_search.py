"""/search"""

import pytest

from researchassist.errors import CommandRefused


def test_messages_of_all_conversations_are_found_most_words_first(give, memory):
    memory.write_thread("other", title="Other thread")
    memory.write_conversational_memory("Paging moves context; latency is low.", "assistant", "other")
    memory.write_conversational_memory("Only paging here.", "user", "alice")
    first, second = give("search", "paging LATENCY").rows
    assert (first.title, first.thread_id) == ("Other thread", "other")
    assert second.text == "Only paging here."
    assert first.message_id == memory.messages("other")[0].id


def test_the_words_are_shown_in_their_place(give, memory):
    memory.write_conversational_memory("x " * 500 + "NEEDLE" + " y" * 500, "user", "alice")
    (row,) = give("search", "needle").rows
    assert "NEEDLE" in row.text
    assert len(row.text) < 400


def test_nothing_found_and_nothing_asked_are_said(give):
    assert "No message" in give("search", "owl").text
    with pytest.raises(CommandRefused, match="which words"):
        give("search", " !")
