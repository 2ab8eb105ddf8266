"""The person's switch, and a thread's privacy."""

import pytest

from researchassist.memory.manager import MemoryManager
from researchassist.options import Options


@pytest.mark.parametrize(
    ("on", "privacy", "recalls", "remembers"),
    [
        (True, "", True, True),
        (True, "private", True, False),
        (True, "closed", False, False),
        (False, "", False, False),
        (False, "private", False, False),
    ],
)
def test_what_may_be_read_and_written(memory, on: bool, privacy: str, recalls: bool, remembers: bool):
    memory.set_personal_memory(on=on)
    memory.set_privacy("alice", privacy)
    assert (memory.may_recall("alice"), memory.may_remember("alice")) == (recalls, remembers)
    assert memory.may_recall("another") == on


def test_the_switch_is_each_users_own(memory, tiny_embedder):
    memory.set_personal_memory(on=False)
    assert MemoryManager(Options(user="bob"), tiny_embedder).personal_memory_is_on()


def test_what_is_said_in_private_or_while_memory_is_off_is_in_no_session(memory):
    def say(text: str, thread: str) -> None:
        turn = memory.open_turn(thread_id=thread, query=text, key=text, owner="me", model="m")
        memory.finish_turn(turn, outcome="answered", answer="ok", steps=(), used={}, helpers={})

    say("one", "alice")
    say("two", "later private")
    memory.set_privacy("later private", "private")
    memory.set_privacy("private", "private")
    say("three", "private")
    memory.set_personal_memory(on=False)
    say("four", "alice")
    memory.set_personal_memory(on=True)
    [session] = memory.sessions()
    assert [message.content for message in memory.session_messages(session.id)] == ["one", "ok"]
