import pytest

from researchassist.errors import UnknownSummary


def write(memory, text: str, thread: str | None):
    memory.write_thread(thread or "none")
    return memory.write_summary(
        full_content=text, summary=text, description=f"About {text}", thread_id=thread
    )


def test_the_threads_own_summaries_are_listed_first(memory):
    write(memory, "owls at night", "charlie")
    own = write(memory, "something else", "alice")
    found = memory.read_summary_context("owls at night", "alice")
    assert found.records[0].id == own.id
    assert "(from another conversation)" not in found.items[0].body
    assert "(from another conversation)" in found.items[1].body


def test_a_summary_of_no_thread_is_listed_too(memory):
    loose = write(memory, "owls", None)
    assert [s.id for s in memory.read_summary_context("owls", "alice").records] == [loose.id]


def test_at_most_ten_are_listed(memory):
    for number in range(7):
        write(memory, f"own {number}", "alice")
        write(memory, f"other {number}", "charlie")
    found = memory.read_summary_context("own", "alice").records
    assert [s.thread_id for s in found] == ["alice"] * 7 + ["charlie"] * 3


def test_ids_are_eight_hex_digits_and_differ(memory):
    made = {write(memory, str(number), "alice").id for number in range(5)}
    assert len(made) == 5
    assert all(len(i) == 8 and set(i) <= set("0123456789abcdef") for i in made)


def test_an_id_is_read_generously_and_an_unknown_one_told(memory):
    made = write(memory, "owls", "alice")
    assert memory.read_summary_memory(f" {made.id.upper()} ") == made
    with pytest.raises(UnknownSummary):
        memory.read_summary_memory("00000000")
