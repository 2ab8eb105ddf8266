import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
import time_machine
from django.db import IntegrityError
from django.test import override_settings

from researchassist.memory.models import ConversationalMemory, Thread

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def say(memory, *texts: str, thread: str = "alice") -> list:
    roles = ("user", "assistant")
    return [memory.write_conversational_memory(t, roles[i % 2], thread) for i, t in enumerate(texts)]


def contents(messages) -> list[str]:
    return [message.content for message in messages]


def test_it_keeps_the_order_under_a_frozen_clock(memory):
    with time_machine.travel(NOON, tick=False):
        say(memory, "one", "two", "three", "four")
    orders = {tuple(contents(memory.messages("alice"))) for _ in range(20)}
    assert orders == {("one", "two", "three", "four")}


def test_it_keeps_the_order_when_the_clock_is_set_back(memory):
    with time_machine.travel(NOON, tick=False):
        say(memory, "before")
    with time_machine.travel(NOON - timedelta(hours=1), tick=False):
        say(memory, "after")
    assert contents(memory.messages("alice")) == ["before", "after"]


def test_it_keeps_the_order_after_a_row_was_updated(memory):
    with time_machine.travel(NOON, tick=False):
        first, *_ = say(memory, "one", "two", "three")
    ConversationalMemory.objects.filter(pk=first.id).update(metadata={"seen": True})
    assert contents(memory.read_conversational_memory("alice").records) == ["one", "two", "three"]


def test_times_rise_strictly(memory):
    with time_machine.travel(NOON, tick=False):
        times = [message.timestamp for message in say(memory, *"abcdefgh")]
    assert all(earlier < later for earlier, later in pairwise(times))


@override_settings(TIME_ZONE="Pacific/Auckland")
def test_it_stores_utc_and_shows_the_stated_zone(memory):
    with time_machine.travel(NOON, tick=False):
        [message] = say(memory, "kia ora")
    assert memory.messages("alice")[0].timestamp == NOON == message.timestamp
    assert "[2026-03-02 01:00:00 NZDT] user: kia ora" in memory.read_conversational_memory("alice").text()


def test_two_messages_of_a_thread_never_share_a_time(memory):
    [message] = say(memory, "one")
    with pytest.raises(IntegrityError):
        ConversationalMemory.objects.create(
            thread_id="alice", role="user", content="two", timestamp=message.timestamp
        )


def test_a_read_has_messages_of_its_thread_alone(memory):
    say(memory, "mine")
    say(memory, "secret", thread="charlie")
    assert contents(memory.read_conversational_memory("alice").records) == ["mine"]
    assert "secret" not in memory.read_conversational_memory("alice").text()


def test_a_read_has_the_latest_messages_oldest_first(memory):
    say(memory, *map(str, range(14)))
    assert contents(memory.read_conversational_memory("alice").records) == [str(n) for n in range(4, 14)]
    assert contents(memory.read_conversational_memory("alice", limit=2).records) == ["12", "13"]


def test_a_read_before_a_message_leaves_it_and_later_ones_out(memory):
    _, second, _ = say(memory, "one", "two", "three")
    assert contents(memory.read_conversational_memory("alice", before=second).records) == ["one"]


def test_a_read_leaves_out_condensed_messages(memory):
    first, second, _ = say(memory, "one", "two", "three")
    write_summary(memory, [first, second])
    assert contents(memory.read_conversational_memory("alice").records) == ["three"]


def test_where_nothing_remains_the_segment_says_so(memory):
    assert "No earlier messages" in memory.read_conversational_memory("nobody").text()
    write_summary(memory, say(memory, "one"))
    assert "outside the summaries" in memory.read_conversational_memory("alice").text()


def write_summary(memory, messages, thread="alice"):
    return memory.write_summary(
        full_content="all", summary="short", description="label", thread_id=thread, messages=messages
    )


def test_a_summary_marks_exactly_its_messages(memory):
    first, _, third = say(memory, "one", "two", "three")
    summary = write_summary(memory, [first, third])
    marked = {m.content: m.summary_id for m in memory.messages("alice")}
    assert marked == {"one": summary.id, "two": None, "three": summary.id}
    assert contents(memory.messages_of_summary(summary.id)) == ["one", "three"]


def test_a_summary_over_a_message_that_is_taken_is_not_kept(memory):
    first, second = say(memory, "one", "two")
    taken = write_summary(memory, [first])
    assert write_summary(memory, [first, second]) is None
    assert [m.summary_id for m in memory.messages("alice")] == [taken.id, None]
    assert memory.sizes()["summary_memory"] == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_summaries_at_once_over_the_same_messages_one_is_kept(memory):
    messages = say(memory, "one", "two", "three")
    barrier, made = threading.Barrier(4), []

    def condense() -> None:
        from django.db import connections

        barrier.wait()
        made.append(write_summary(memory, messages))
        connections.close_all()

    threads = [threading.Thread(target=condense) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [winner] = [summary for summary in made if summary is not None]
    assert {m.summary_id for m in memory.messages("alice")} == {winner.id}
    assert memory.sizes()["summary_memory"] == 1


def test_it_counts_what_is_neither_shown_nor_under_a_listed_summary(memory):
    messages = say(memory, *map(str, range(9)))
    listed, unlisted = write_summary(memory, messages[:2]), write_summary(memory, messages[2:5])
    shown = messages[6:8]
    hidden = memory.hidden_messages(shown=shown, listed=[listed], before=messages[8])
    assert hidden == len(messages[2:5]) + len(messages[5:6])
    assert memory.hidden_messages(shown=shown, listed=[listed, unlisted], before=messages[8]) == 1


def test_an_import_keeps_order_where_times_do_not_rise(memory):
    said = [("user", "a", NOON), ("assistant", "b", NOON), ("user", "c", NOON - timedelta(days=1))]
    memory.import_thread("old", title="Old talk", messages=said, sample=True)
    assert contents(memory.messages("old")) == ["a", "b", "c"]
    assert memory.thread("old").sample


def test_an_import_that_fails_leaves_nothing(memory):
    with pytest.raises(IntegrityError):
        memory.import_thread("old", title="Old", messages=[("user", "a", NOON), ("robot", "b", NOON)])
    assert not Thread.objects.exists()
    assert not ConversationalMemory.objects.exists()


def test_text_that_no_database_takes_is_stored_as_what_can_be(memory):
    [message] = say(memory, "a\x00b\ud83d\ude00\ud800")
    assert message.content == "ab😀\ufffd"
