"""A deleted thread is out of every read at once, and comes back whole."""

from datetime import timedelta

import pytest
import time_machine

from researchassist.errors import ThreadDeleted, UnknownThread
from researchassist.memory import clock
from researchassist.memory.fact_records import FactDecision, FactDraft
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import (
    CommandRun,
    ConversationalMemory,
    DeletedThread,
    Fact,
    MessageVector,
    SummaryMemory,
    Thread,
    ToolLogMemory,
    Turn,
    WorkflowMemory,
)
from researchassist.memory.stores.turns import Place
from tests.tiny_embedder import TinyEmbedder

OURS = (Thread, ConversationalMemory, Turn, ToolLogMemory, CommandRun, SummaryMemory, WorkflowMemory)


def fill(memory, thread: str = "t") -> str:
    """A thread with everything in it; gives its first question's id."""
    turn = memory.open_turn(thread_id=thread, query="Find the owl", key=thread, owner="1@1", model="m")
    log = memory.write_tool_log(
        thread_id=thread, tool_name="look", tool_args="{}", result="owl", turn_id=turn.id
    )
    used = {"calls": [{"name": "look", "log_id": log.id}]}
    memory.finish_turn(turn, outcome="answered", answer="An owl.", steps=["look()"], used=used, helpers={})
    memory.write_summary(
        full_content="owl",
        summary="owl",
        description="owl",
        thread_id=thread,
        messages=memory.messages(thread),
    )
    place = Place(edit_of=memory.messages(thread)[0].id)
    memory.open_turn(thread_id=thread, query="A heron", key=f"{thread}2", owner="1@1", model="m", place=place)
    memory.start_command(thread_id=thread, name="help", argument="", key=f"{thread}3", owner="1@1")
    return turn.question.id


def rows() -> dict[str, list[object]]:
    """Every row, but for what a store counts by itself."""
    apart = {"id", "revision"}
    return {
        model.__name__: [
            {name: value for name, value in row.items() if name not in apart or model is ConversationalMemory}
            for row in model.objects.order_by("pk").values()
        ]
        for model in (
            ConversationalMemory,
            Turn,
            ToolLogMemory,
            CommandRun,
            SummaryMemory,
            WorkflowMemory,
            Thread,
        )
    }


def test_nothing_of_a_deleted_thread_can_be_found(memory):
    fill(memory)
    other = MemoryManager(memory.options, TinyEmbedder())
    assert other.read_workflow("owl").records == memory.read_workflow("owl").records
    gone = memory.forget_thread("t")
    assert gone.can_come_back
    for model in OURS:
        assert not model.objects.exists(), model
    assert memory.search_messages("owl heron").total == 0
    assert not other.read_summary_context("owl", "u").records
    with pytest.raises(ThreadDeleted):
        memory.thread("t")


def test_it_comes_back_with_every_row_as_it_was(memory):
    fill(memory)
    before = rows()
    calls = memory.embedder.calls
    memory.forget_thread("t")
    memory.restore_thread("t")
    after = rows()
    for turn in [*before["Turn"], *before["CommandRun"]]:
        turn["owner"] = ""  # it runs nowhere any more
    assert after == before
    assert memory.embedder.calls == calls, "nothing was embedded again"
    assert memory.search_messages("heron").total == 1
    assert not DeletedThread.objects.exists()
    assert memory.restore_thread("t").id == "t", "twice is once"


def test_what_pointed_at_it_points_at_it_again(memory):
    question = fill(memory)
    message = memory.message(question)
    memory.write_facts([FactDecision(FactDraft(text="Likes owls", attribute="other"))], by="person")
    Fact.objects.update(message_id=int(message.id))
    memory.forget_thread("t")
    assert Fact.objects.get().message_id is None
    memory.restore_thread("t")
    assert Fact.objects.get().message_id == int(question)


def test_every_table_that_points_at_a_thread_is_brought_back_with_it():
    """A new table is packed too (stores/thread_export.py), or points with SET_NULL."""
    for model in (Thread, ConversationalMemory, Turn, SummaryMemory):
        for relation in model._meta.related_objects:
            packed = relation.field.model in (*OURS, MessageVector)  # vectors of messages are made anew
            assert packed or relation.on_delete.__name__ == "SET_NULL", relation.field


def test_a_deleted_thread_is_not_begun_anew_by_a_page_that_still_shows_it(memory):
    fill(memory)
    memory.forget_thread("t")
    for begin in (
        lambda: memory.open_turn(thread_id="t", query="x", key="x", owner="1@1", model="m"),
        lambda: memory.start_command(thread_id="t", name="help", argument="", key="y", owner="1@1"),
        lambda: memory.write_thread("t"),
    ):
        with pytest.raises(ThreadDeleted) as refused:
            begin()
        assert refused.value.can_come_back
    assert not Thread.objects.exists()


def test_it_is_erased_when_its_days_are_over(memory):
    fill(memory)
    fill(memory, "u")
    memory.forget_thread("t")
    assert [one.id for one in memory.forgotten_threads()] == ["t"]
    with time_machine.travel(clock.now() + timedelta(days=6)):
        assert memory.erase_forgotten_threads() == 0
    with time_machine.travel(clock.now() + timedelta(days=8)):
        memory.forget_thread("u")
        assert [one.id for one in memory.forgotten_threads()] == ["u"]
    assert DeletedThread.objects.get(pk="t").packed is None
    with pytest.raises(UnknownThread, match="gone for good"):
        memory.restore_thread("t")
    with pytest.raises(ThreadDeleted) as refused:
        memory.write_thread("t")
    assert not refused.value.can_come_back


def test_one_can_be_erased_at_once(memory):
    fill(memory)
    memory.forget_thread("t")
    assert memory.erase_forgotten_threads(["t"]) == 1
    assert memory.forgotten_threads() == []


def test_what_is_not_there_is_told(memory):
    with pytest.raises(UnknownThread):
        memory.forget_thread("nobody")
    with pytest.raises(UnknownThread):
        memory.restore_thread("nobody")
