"""/expand"""

import pytest

from researchassist.errors import CommandRefused, UnknownSummary


def test_every_original_message_is_shown_word_for_word(give, memory):
    long = "word\n" * 3000 + "Größe \U0001f985"
    memory.write_conversational_memory("What?", "user", "alice")
    memory.write_conversational_memory(long, "assistant", "alice")
    numbers = [row.number for row in give("summarize").rows]
    rows = [row for number in numbers for row in give("expand", f"[Summary ID: {number}]").rows]
    assert [(row.title, row.text) for row in rows] == [("You", "What?"), ("Answer", long)]
    assert rows[0].thread_id == "alice"


def test_a_text_that_was_no_conversation_is_shown_whole(give, assistant, memory):
    memory.write_thread("alice")
    record = assistant.condenser.condense_text("All of this text.", "alice").record
    assert give("expand", record.id).rows[0].text == "All of this text."


def test_unknown_and_missing_ids_are_said(give):
    with pytest.raises(UnknownSummary):
        give("expand", "deadbeef")
    with pytest.raises(CommandRefused, match="id of a summary"):
        give("expand", "?")


def test_without_an_id_it_lists_what_can_be_opened(give, memory):
    assert "no summaries yet" in give("expand").text
    memory.write_conversational_memory("What?", "user", "alice")
    memory.write_conversational_memory("Elsewhere", "user", "charlie")
    (made,) = give("summarize").rows
    listed = give("expand")
    assert "1 summary of this conversation" in listed.text
    assert [(row.number, row.actions) for row in listed.rows] == [(made.number, made.actions)]
