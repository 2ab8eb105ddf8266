import pytest

from researchassist.errors import UnknownThread
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import (
    ConversationalMemory,
    SummaryMemory,
    Thread,
    ToolLogMemory,
    Turn,
    WorkflowMemory,
)
from tests.tiny_embedder import TinyEmbedder


def fill(memory: MemoryManager, thread_id: str) -> None:
    turn = memory.open_turn(thread_id=thread_id, query="Find the owl", key=thread_id, owner="1@1", model="m")
    memory.write_tool_log(
        thread_id=thread_id, tool_name="look", tool_args="{}", result="owl", turn_id=turn.id
    )
    memory.finish_turn(turn, outcome="answered", answer="An owl.", steps=["look()"], used={}, helpers={})
    memory.write_summary(
        full_content="owl",
        summary="owl",
        description="About an owl",
        thread_id=thread_id,
        messages=memory.messages(thread_id),
    )


def test_a_deleted_thread_leaves_nothing_behind(memory):
    fill(memory, "alice")
    memory.delete_thread("alice")
    for model in (Thread, ConversationalMemory, Turn, ToolLogMemory, SummaryMemory, WorkflowMemory):
        assert not model.objects.exists(), model


def test_other_threads_and_documents_and_entities_stay(memory):
    fill(memory, "alice")
    fill(memory, "charlie")
    memory.write_knowledge_base("Owls hunt at night.", {"source": "owls.md"})
    memory.write_entity("Owl", "SYSTEM", "A bird")
    memory.delete_thread("alice")
    assert [thread.id for thread in memory.threads()] == ["charlie"]
    assert len(memory.messages("charlie")) == 2
    assert memory.read_knowledge_base("owls").records
    assert memory.read_entity("owl").records


def test_another_process_no_longer_finds_a_deleted_threads_memory(memory):
    fill(memory, "alice")
    other = MemoryManager(memory.options, TinyEmbedder())
    assert other.read_summary_context("owl", "alice").records
    assert other.read_workflow("owl").records
    memory.delete_thread("alice")
    assert not other.read_summary_context("owl", "alice").records
    assert not other.read_workflow("owl").records


def test_deleting_what_is_gone_does_nothing(memory):
    memory.delete_thread("nobody")


def test_threads_come_with_the_latest_message_first(memory):
    for thread in ("one", "two", "one"):
        memory.write_conversational_memory("hello", "user", thread)
    assert [thread.id for thread in memory.threads()] == ["one", "two"]


def test_a_title_is_one_line_of_at_most_80_characters(memory):
    memory.write_thread("alice", title="a " * 90)
    assert memory.rename_thread("alice", "  Owls\nat   night ").title == "Owls at night"
    assert len(memory.rename_thread("alice", "owl " * 40).title) <= 80
    assert len(memory.rename_thread("alice", "o" * 400).title) <= 80


def test_an_unknown_thread_is_told(memory):
    with pytest.raises(UnknownThread):
        memory.thread("nobody")
    with pytest.raises(UnknownThread):
        memory.rename_thread("nobody", "x")
