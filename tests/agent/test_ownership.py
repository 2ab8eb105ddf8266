import os
import subprocess
import sys

import psutil
import pytest

from researchassist.agent.ownership import INTERRUPTED, is_alive, owner, owner_name, settle_interrupted


def opened(memory, by: str, thread: str = "alice"):
    return memory.open_turn(thread_id=thread, query="Who?", key=thread, owner=by, model="m")


@pytest.fixture
def other():
    """Another live process, and its owner name."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def name_of(process: subprocess.Popen) -> str:
    return owner_name(process.pid)


def test_this_process_is_alive():
    assert is_alive(owner())
    assert owner().startswith(f"{os.getpid()}@")


@pytest.mark.parametrize("name", ["", "x", "x@y", "999999999@1.00", "1@", "-1@0"])
def test_what_is_no_live_process_is_not_alive(name: str):
    assert not is_alive(name)


def test_an_id_that_started_at_another_time_is_not_alive():
    assert not is_alive(f"{os.getpid()}@1.00")


def test_the_turn_of_a_dead_process_is_settled_as_interrupted(assistant_with, memory, other):
    name = name_of(other)
    turn = opened(memory, name)
    memory.checkpoint_turn(turn.id, "An ow")
    _kill(other)
    assert settle_interrupted(assistant_with("x")) == 1
    after = memory.turn(turn.id)
    assert (after.outcome, after.error, after.partial_text) == ("interrupted", INTERRUPTED, "An ow")


def test_what_a_dead_turn_had_done_until_then_stays_on_it(assistant_with, memory):
    turn = opened(memory, "999999999@1.00")
    memory.write_tool_log(
        thread_id="alice",
        turn_id=turn.id,
        tool_call_id="c1",
        tool_name="search_arxiv",
        tool_args='{"query": "owls"}',
        result="[]",
        metadata={"seconds": 2.5},
    )
    settle_interrupted(assistant_with("x"))
    [call] = memory.turn(turn.id).used["calls"]
    assert (call["doing"], call["status"], call["seconds"]) == ("Searching arXiv for “owls”", "success", 2.5)


def _kill(process: subprocess.Popen) -> None:
    """Kills it without asking how it ended: until then it is a zombie with the same id and start."""
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def test_the_turn_of_a_live_process_is_left_alone(assistant_with, memory, other):
    mine, theirs = opened(memory, owner()), opened(memory, name_of(other), "charlie")
    assert settle_interrupted(assistant_with("x")) == 0
    assert memory.turn(mine.id).outcome == memory.turn(theirs.id).outcome == "running"


def test_an_id_that_was_used_again_is_another_process(other):
    pid, _, started = name_of(other).partition("@")
    assert not is_alive(f"{pid}@{float(started) - 60:.2f}")


def test_a_clock_that_was_set_does_not_make_a_live_process_dead(monkeypatch):
    name = owner()
    boot_time = psutil._pslinux.boot_time
    monkeypatch.setattr(psutil._pslinux, "boot_time", lambda: boot_time() - 3600)
    assert is_alive(name)


def test_a_thread_whose_turn_died_can_be_asked_in_again(assistant_with, memory):
    from researchassist.agent.turn import call_agent

    opened(memory, "999999999@1.00")
    assert call_agent(assistant_with("An owl."), "Who hunts?", "alice").final_answer == "An owl."
