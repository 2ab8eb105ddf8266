import threading

import pytest
from django.db import connections

from researchassist.errors import MemoryRefused
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options


def write(memory, text: str, **more):
    return memory.write_core_memory(
        lambda before: f"{before}{text}", operation="append", author="model", count=len, **more
    )


def test_core_memory_is_empty_until_it_is_written(memory):
    assert memory.read_core_memory() == ""
    write(memory, "Is vegetarian.")
    assert memory.read_core_memory() == "Is vegetarian."


def test_every_write_keeps_what_was_before_with_sizes_and_what_it_rests_on(memory):
    message = memory.write_conversational_memory("I'm vegetarian", "user", "alice")
    write(memory, "one", quote="I'm vegetarian", message=message)
    write(memory, "two")
    first, second = memory.core_writes()
    assert (first.before, first.after, first.quote, first.message_id) == (
        "", "one", "I'm vegetarian", message.id
    )  # fmt: skip
    assert (second.before, second.after, second.tokens_before, second.tokens_after) == ("one", "onetwo", 3, 6)


def test_writes_are_undone_one_by_one_back_to_the_start(memory):
    for text in ("a", "b", "c"):
        write(memory, text)
    assert [memory.undo_core_memory(len).after for _ in range(2)] == ["ab", "a"]
    write(memory, "d")
    assert [memory.undo_core_memory(len).after for _ in range(2)] == ["a", ""]
    with pytest.raises(MemoryRefused, match="no change"):
        memory.undo_core_memory(len)


def test_a_change_that_is_refused_leaves_everything_as_it_is(memory):
    def refuse(before: str) -> str:
        raise MemoryRefused("No.")

    write(memory, "kept")
    with pytest.raises(MemoryRefused):
        memory.write_core_memory(refuse, operation="append", author="model", count=len)
    assert [one.after for one in memory.core_writes()] == ["kept"]


def test_core_memory_of_one_person_is_not_that_of_another(memory, tiny_embedder):
    charlie = MemoryManager(Options(user="charlie"), tiny_embedder)
    write(memory, "Door code 7719")
    assert charlie.read_core_memory() == ""
    with pytest.raises(MemoryRefused):
        charlie.undo_core_memory(len)


def test_a_write_stays_when_its_conversation_is_deleted(memory):
    message = memory.write_conversational_memory("I'm vegetarian", "user", "alice")
    write(memory, "Is vegetarian.", quote="I'm vegetarian", message=message)
    memory.delete_thread("alice")
    [kept] = memory.core_writes()
    assert (kept.after, kept.quote, kept.message_id) == ("Is vegetarian.", "I'm vegetarian", None)


def test_writes_at_once_are_all_there(memory):
    barrier = threading.Barrier(6)

    def append() -> None:
        barrier.wait()
        write(memory, "x")
        connections.close_all()

    threads = [threading.Thread(target=append) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.read_core_memory() == "xxxxxx"
