import pytest

from researchassist.errors import UnknownToolLog


@pytest.fixture
def log(memory):
    memory.write_thread("alice")
    memory.write_thread("charlie")

    def write(result: str = "found", thread: str = "alice", **fields):
        return memory.write_tool_log(
            thread_id=thread, tool_name="look", tool_args="{}", result=result, **fields
        )

    return write


@pytest.mark.parametrize("text", ["a" * 5000, "é" * 1500, "日" * 1000, "😀" * 700, "ab😀" * 600])
def test_a_preview_is_at_most_2000_bytes_and_never_half_a_character(log, text: str):
    kept = log(text)
    assert kept.result == text
    assert 1996 <= len(kept.result_preview.encode()) <= 2000
    assert text.startswith(kept.result_preview)


def test_a_short_result_is_its_own_preview(log):
    assert log("short").result_preview == "short"


def test_a_failed_call_has_its_error_and_its_result(log):
    kept = log("half", error_message="cut off")
    assert (kept.status, kept.error_message, kept.result) == ("failed", "cut off", "half")


def test_a_thread_has_its_own_calls_in_order(memory, log):
    log("one")
    log("else", thread="charlie")
    log("two")
    assert [entry.result for entry in memory.read_tool_log("alice")] == ["one", "two"]
    assert [entry.result for entry in memory.read_tool_log("alice", limit=1)] == ["two"]


def test_another_threads_call_is_not_shown(memory, log):
    kept = log(thread="charlie")
    with pytest.raises(UnknownToolLog):
        memory.tool_log(kept.id, "alice")
    assert memory.tool_log(kept.id).result == "found"


@pytest.mark.parametrize("log_id", ["999", "", "x", "-1", "1.5", "²"])
def test_an_id_that_is_none_is_told(memory, log_id: str):
    with pytest.raises(UnknownToolLog):
        memory.tool_log(log_id)


def test_text_that_no_database_takes_is_stored_as_what_can_be(log):
    assert log("a\x00\ud800", tool_call_id="\ud800").result == "a\ufffd"
