import threading
import time

import pytest
from django.db import connections

from researchassist.agent.events import TextAdded, TurnEnded, TurnStarted
from researchassist.agent.runner import TurnRunner
from researchassist.agent.threads import delete_thread, new_thread_id, rename_thread
from researchassist.agent.tools import define
from researchassist.agent.turn import TurnRequest
from researchassist.errors import TurnRefused
from researchassist.memory.models import ConversationalMemory, Thread, Turn
from tests.scripted_llm import calls

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def start(assistant_with):
    """Starts a turn on a runner of its own and waits at the end until it is idle."""
    runners: list[TurnRunner] = []

    def make(*replies, gate: threading.Event | None = None, query: str = "Who hunts?", **more):
        assistant = assistant_with(*replies, **more)
        assistant.model.gate = gate
        runners.append(TurnRunner(assistant))
        return runners[-1], runners[-1].start(TurnRequest("alice", query, key=f"key {len(runners)}"))

    yield make
    for runner in runners:
        assert runner.wait_idle(10)


def test_the_question_is_committed_when_start_returns(start, memory):
    gate = threading.Event()
    runner, started = start("An owl.", gate=gate)
    assert [m.content for m in memory.messages("alice")] == ["Who hunts?"]
    gate.set()
    assert runner.wait_idle(10)
    assert memory.turn(started.turn_id).answer.content == "An owl."


def test_events_are_numbered_and_replayed_to_whoever_comes_late(start):
    runner, started = start("An owl hunts at night.")
    assert runner.wait_idle(10)
    log = runner.events(started.turn_id)
    everything, over = log.after(0, timeout=0)
    assert over
    assert everything[0] == started
    assert "".join(e.text for e in everything if isinstance(e, TextAdded)) == "An owl hunts at night."
    assert log.after(3, timeout=0) == (everything[3:], True)
    assert log.after(len(everything), timeout=0) == ([], True)


def test_a_watcher_gets_events_as_they_come(start):
    gate = threading.Event()
    runner, started = start("An owl.", gate=gate)
    log = runner.events(started.turn_id)
    seen, over = log.after(0, timeout=5)
    assert seen
    assert not over
    waiting = time.monotonic()
    assert log.after(2, timeout=0.2) == ([], False)
    assert time.monotonic() - waiting < 1
    gate.set()
    while not over:
        more, over = log.after(len(seen), timeout=5)
        seen += more
    assert isinstance(next(e for e in seen if isinstance(e, TurnEnded)), TurnEnded)


def test_a_stop_ends_the_turn_within_a_second(start, memory):
    gate = threading.Event()
    runner, started = start("Never.", gate=gate)
    time.sleep(0.2)
    asked = time.monotonic()
    assert runner.stop(started.turn_id)
    assert runner.wait_idle(5)
    assert time.monotonic() - asked < 1
    gate.set()
    assert memory.turn(started.turn_id).outcome == "stopped"
    assert not runner.stop(started.turn_id)


def test_a_turn_of_another_process_cannot_be_stopped_here(start):
    runner, _ = start("An owl.")
    assert not runner.stop("unknown")


def test_the_same_form_starts_one_turn(start, memory):
    runner, started = start("An owl.")
    again = runner.start(TurnRequest("alice", "Who hunts?", key="key 1"))
    assert again == TurnStarted(started.turn_id, "alice", new=False)
    assert runner.wait_idle(10)
    assert len(memory.messages("alice")) == 2


def test_a_second_question_is_refused_in_the_callers_thread(start, memory):
    gate = threading.Event()
    runner, _ = start("An owl.", gate=gate)
    with pytest.raises(TurnRefused):
        runner.start(TurnRequest("alice", "And the wren?"))
    gate.set()
    assert runner.wait_idle(10)
    assert len(memory.messages("alice")) == 2


def test_a_turns_thread_leaves_no_connection_open(start, monkeypatch):
    closed: list[str] = []
    close_all = connections.close_all

    def noted() -> None:
        closed.append(threading.current_thread().name)
        close_all()

    monkeypatch.setattr(connections, "close_all", noted)
    runner, started = start("An owl.")
    assert runner.wait_idle(10)
    assert closed == [f"turn-{started.turn_id[:8]}"]


def test_waiting_says_where_it_was_in_vain(start):
    gate = threading.Event()
    runner, _ = start("An owl.", gate=gate)
    assert not runner.wait_idle(0.1)
    gate.set()


def test_shutting_down_stops_what_runs(start, memory):
    gate = threading.Event()
    runner, started = start("Never.", gate=gate)
    runner.shut_down()
    gate.set()
    assert memory.turn(started.turn_id).outcome == "stopped"


def test_partial_text_is_kept_about_once_a_second(start, memory, monkeypatch):
    monkeypatch.setattr("researchassist.agent.loop._CHECKPOINT_SECONDS", 0.0)
    kept = []
    checkpoint = memory.checkpoint_turn
    memory.checkpoint_turn = lambda turn_id, text: kept.append(text) or checkpoint(turn_id, text)
    runner, _ = start("An owl hunts at night.")
    assert runner.wait_idle(10)
    assert kept[0] == "An owl hunts"


def test_a_thread_that_is_deleted_while_it_runs_stops_and_is_gone(start, memory):
    gate = threading.Event()
    runner, _ = start("Never.", gate=gate)
    time.sleep(0.2)
    delete_thread(runner, "alice")
    gate.set()
    assert runner.wait_idle(10)
    assert not Thread.objects.exists()
    assert not Turn.objects.exists()


def test_who_watches_a_thread_that_is_deleted_hears_of_its_end_only_when_it_is_gone(start):
    gate = threading.Event()
    runner, started = start("Never.", gate=gate)
    log = runner.events(started.turn_id)
    seen = len(log.events)
    with runner.stopped("alice"):
        assert log.closed
        assert log.after(seen, 0) == ([], False)
    events, over = log.after(seen, 0)
    assert over
    assert isinstance(events[-1], TurnEnded)
    gate.set()


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("reply", ["Too late.", calls(("get_current_time", "{}"))])
def test_a_thread_that_is_gone_under_a_running_turn_ends_it_quietly(start, memory, reply):
    gate = threading.Event()
    runner, started = start(reply, "Noon.", gate=gate)
    time.sleep(0.2)
    memory.delete_thread("alice")
    gate.set()
    assert runner.wait_idle(10)
    assert not ConversationalMemory.objects.exists()
    events, over = runner.events(started.turn_id).after(0, 0)
    assert over
    assert any(isinstance(event, TurnEnded) for event in events)


def test_failed_steps_are_tried_again_in_the_background(start, memory):
    from researchassist.errors import ModelError
    from tests.scripted_llm import ScriptedLLM

    writer = ScriptedLLM(ModelError("It is down."), "[]", forever=True)
    runner, started = start("An owl.", writer=writer)
    assert runner.wait_idle(10)
    runner.retry_helpers(started.turn_id)
    assert runner.wait_idle(10)
    assert memory.turn(started.turn_id).helpers["entities_question"]["status"] == "ok"


def test_turns_of_several_threads_run_at_once(assistant_with, memory):
    runner = TurnRunner(assistant_with("An owl.", forever=True))
    for number in range(8):
        runner.start(TurnRequest(f"thread {number}", "Who hunts?"))
    assert runner.wait_idle(20)
    assert Turn.objects.filter(outcome="answered").count() == 8


def test_a_thread_is_renamed(start, memory):
    runner, _ = start("An owl.")
    assert runner.wait_idle(10)
    assert rename_thread(runner, "alice", " Owls ").title == "Owls"


def test_new_threads_have_ids_of_their_own():
    assert len({new_thread_id() for _ in range(100)}) == 100


def test_a_tool_that_hangs_does_not_hold_a_stop(start, memory):
    def nap() -> str:
        """Take a nap."""
        time.sleep(5)
        return "rested"

    runner, started = start(calls(("nap", "{}")), "Done.", tools=[define(nap)])
    time.sleep(0.2)
    runner.stop(started.turn_id)
    assert runner.wait_idle(1)
    assert memory.turn(started.turn_id).outcome == "stopped"
    log = memory.tool_logs_of_turn(started.turn_id)[0]
    assert log.status == "failed"
    assert "stopped by the person" in log.result
