import pytest

from researchassist.agent import core_memory
from researchassist.agent.tools.archive_insert import archival_insert
from researchassist.agent.tools.core import core_memory_replace
from researchassist.errors import ToolError


def test_what_is_archived_is_a_document_that_a_search_finds(tool_context, memory):
    said = archival_insert(tool_context, "The Oslo lab closed in 2021.")
    [document] = memory.documents()
    assert f"document {document.id}" in said
    assert (document.kind, document.title) == ("note", "Note: The Oslo lab closed in 2021.")
    [found] = memory.search_documents("When did the Oslo lab close?", 1).records
    assert found.text == "The Oslo lab closed in 2021."


def test_the_same_text_is_kept_once(tool_context, memory):
    archival_insert(tool_context, "The Oslo lab closed in 2021.")
    assert "already" in archival_insert(tool_context, "The Oslo lab closed in 2021.\n")
    assert len(memory.documents()) == 1


def test_nothing_is_refused_with_a_sentence(tool_context):
    with pytest.raises(ToolError, match="no text"):
        archival_insert(tool_context, " \x00 ")


def test_a_fact_moved_there_may_leave_core_memory_to_make_room(tool_context, memory):
    core_memory.edit(memory, "Lived in Oslo until 2021.\nHas a cat.")
    archival_insert(tool_context, "Lived in Oslo until 2021.")
    core_memory_replace(tool_context, "Lived in Oslo until 2021.", "", "question about owls")
    assert memory.read_core_memory() == "Has a cat."
