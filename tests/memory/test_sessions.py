"""Sessions and the profile that is made from them, as rows."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from researchassist.errors import MemoryRefused
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def clock():
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


def turn(memory, text: str, thread: str = "alice", answer: str = "Noted."):
    opened = memory.open_turn(thread_id=thread, query=text, key=text, owner="me", model="m")
    return memory.finish_turn(opened, outcome="answered", answer=answer, steps=(), used={}, helpers={})


def later(clock, minutes: float) -> None:
    clock.shift(timedelta(minutes=minutes))


def claim(memory, owner: str = "me", alive: bool = True):
    return [one.id for one in memory.claim_sessions(owner, lambda name: alive)]


def test_turns_of_all_conversations_within_the_idle_time_are_one_session(memory, clock):
    turn(memory, "one")
    later(clock, 29)
    turn(memory, "two", "another")
    later(clock, 29)
    turn(memory, "three")
    [session] = memory.sessions()
    said = [message.content for message in memory.session_messages(session.id)]
    assert said == ["one", "Noted.", "two", "Noted.", "three", "Noted."]
    assert session.state == "open"


def test_after_the_idle_time_the_next_turn_begins_another(memory, clock):
    turn(memory, "one")
    later(clock, 31)
    turn(memory, "two")
    first, second = memory.sessions()
    assert (first.state, second.state) == ("ended", "open")
    assert first.ended_at == START
    assert memory.has_ended_sessions()


def test_a_running_turn_keeps_its_session_open(memory, clock):
    memory.open_turn(thread_id="alice", query="one", key="k", owner="me", model="m")
    later(clock, 300)
    memory.end_idle_sessions()
    assert [one.state for one in memory.sessions()] == ["open"]


def test_messages_that_were_not_said_in_a_turn_are_in_no_session(memory, clock):
    memory.import_thread(
        "sample", title="Sample", messages=[("user", "I am someone else", START)], sample=True
    )
    turn(memory, "one")
    [session] = memory.sessions()
    assert [m.content for m in memory.session_messages(session.id)] == ["one", "Noted."]


def test_what_is_said_in_private_or_while_memory_is_off_is_in_no_session(memory, clock):
    turn(memory, "one")
    memory.write_thread("secret")
    memory.set_privacy("secret", "private")
    turn(memory, "a secret", "secret")
    turn(memory, "later a secret", "third")
    memory.set_privacy("third", "closed")
    memory.set_personal_memory(on=False)
    turn(memory, "while it is off")
    [session] = memory.sessions()
    assert [m.content for m in memory.session_messages(session.id)] == ["one", "Noted."]


def test_a_question_asked_again_is_in_the_log_once(memory, clock):
    first = memory.open_turn(thread_id="alice", query="one", key="k", owner="me", model="m")
    memory.end_turn_without_answer(first.id, outcome="failed", error="x", partial_text="")
    memory.reopen_turn(first.id, key="again", owner="me", model="m")
    [session] = memory.sessions()
    assert [m.content for m in memory.session_messages(session.id)] == ["one"]


def test_a_session_is_claimed_by_one_living_process_and_taken_up_after_a_dead_one(memory, clock):
    turn(memory, "one")
    later(clock, 31)
    memory.end_idle_sessions()
    assert len(claim(memory, "first")) == 1
    assert claim(memory, "second") == []
    assert len(claim(memory, "second", alive=False)) == 1


def test_one_that_failed_waits_for_the_next_and_both_are_claimed_then(memory, clock):
    turn(memory, "one")
    later(clock, 31)
    memory.end_idle_sessions()
    memory.release_sessions(claim(memory), "The model failed.")
    assert claim(memory) == []
    assert not memory.has_ended_sessions()
    turn(memory, "two")
    later(clock, 31)
    memory.end_idle_sessions()
    assert len(claim(memory)) == 2
    assert memory.sessions()[0].error == "The model failed."


def test_a_version_folds_its_sessions_and_says_how_many_words_it_has(memory, clock):
    turn(memory, "one")
    later(clock, 31)
    memory.end_idle_sessions()
    ids = claim(memory)
    written = memory.write_profile("User is vegetarian.", folded=ids, before=None)
    assert (written.words, written.sessions) == (3, tuple(ids))
    [session] = memory.sessions()
    assert (session.state, session.words, session.folded_at) == ("folded", 3, START + timedelta(minutes=31))
    assert memory.profile().text == "User is vegetarian."


def test_the_last_five_versions_are_kept(memory):
    for number in range(8):
        memory.write_profile(f"Version {number}", folded=[], before=memory.profile())
    assert [one.text for one in memory.profile_versions()] == [f"Version {n}" for n in range(3, 8)]


def test_a_version_made_from_an_old_one_is_not_written(memory):
    memory.write_profile("First", folded=[], before=None)
    assert memory.write_profile("Late", folded=[], before=None) is None
    assert memory.profile().text == "First"


def test_versions_are_rolled_back_one_by_one(memory):
    memory.write_profile("First", folded=[], before=None)
    memory.write_profile("Second", folded=[], before=memory.profile())
    assert memory.undo_profile().text == "First"
    third = memory.write_profile("Third", folded=[], before=memory.profile())
    assert third.number == 3
    assert memory.undo_profile().text == "First"
    assert memory.undo_profile() is None
    assert memory.profile() is None
    with pytest.raises(MemoryRefused, match="no profile"):
        memory.undo_profile()


def test_sessions_and_profile_of_one_person_are_not_those_of_another(memory, tiny_embedder):
    charlie = MemoryManager(Options(user="charlie"), tiny_embedder)
    turn(memory, "one")
    memory.write_profile("User is vegetarian.", folded=[], before=None)
    assert charlie.sessions() == []
    assert charlie.profile() is None
