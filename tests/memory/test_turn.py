import contextlib
import threading

import pytest
from django.db import connections

from researchassist.errors import TurnRefused, UnknownTurn
from researchassist.memory.models import ConversationalMemory, Turn


def opened(memory, query: str = "Find the owl", key: str = "k1", thread: str = "alice"):
    return memory.open_turn(thread_id=thread, query=query, key=key, owner="1@1", model="m")


def ended(memory, turn, outcome: str = "failed"):
    return memory.end_turn_without_answer(turn.id, outcome=outcome, error="It broke.", partial_text="An o")


def test_a_question_and_its_turn_are_kept_together(memory):
    turn = opened(memory)
    assert [m.content for m in memory.messages("alice")] == ["Find the owl"]
    assert (turn.outcome, turn.question.content) == ("running", "Find the owl")
    assert memory.thread("alice").title == "Find the owl"


def test_a_second_question_meanwhile_is_refused_and_not_stored(memory):
    opened(memory)
    with pytest.raises(TurnRefused) as refused:
        opened(memory, "And the heron?", "k2")
    assert refused.value.reason == "busy"
    assert len(memory.messages("alice")) == 1


def test_another_thread_may_run_at_the_same_time(memory):
    opened(memory)
    assert opened(memory, key="k2", thread="charlie").outcome == "running"


@pytest.mark.django_db(transaction=True)
def test_of_questions_at_once_one_runs(memory):
    barrier, started = threading.Barrier(5), []

    def ask(number: int) -> None:
        barrier.wait()
        with contextlib.suppress(TurnRefused):
            started.append(opened(memory, key=f"k{number}"))
        connections.close_all()

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(started) == Turn.objects.count() == ConversationalMemory.objects.count() == 1


def test_answer_workflow_and_turn_are_committed_together(memory):
    turn = opened(memory)
    done = memory.finish_turn(
        turn, outcome="answered", answer="An owl.", steps=["look()"], used={"a": 1}, helpers={}
    )
    assert (done.outcome, done.answer.content, done.steps) == ("answered", "An owl.", ("look()",))
    assert memory.sizes()["workflow_memory"] == 1


def test_where_the_workflow_cannot_be_kept_neither_is_the_answer(memory, monkeypatch):
    turn = opened(memory)

    def broken(rows):
        raise OSError("The disk is full.")

    monkeypatch.setattr(memory._workflow.store, "save", broken)
    with pytest.raises(OSError, match="disk is full"):
        memory.finish_turn(turn, outcome="answered", answer="An owl.", steps=["s"], used={}, helpers={})
    assert len(memory.messages("alice")) == 1
    assert memory.turn(turn.id).outcome == "running"


def test_a_turn_that_was_ended_meanwhile_gets_no_answer(memory):
    turn = opened(memory)
    ended(memory, turn, "interrupted")
    late = memory.finish_turn(turn, outcome="answered", answer="Late.", steps=["s"], used={}, helpers={})
    assert (late.outcome, late.answer) == ("interrupted", None)
    assert len(memory.messages("alice")) == 1
    assert memory.sizes()["workflow_memory"] == 0


def test_a_turn_ends_once(memory):
    turn = opened(memory)
    ended(memory, turn, "stopped")
    assert ended(memory, turn, "failed").outcome == "stopped"


def test_an_unanswered_question_is_asked_again_without_a_second_message(memory):
    turn = opened(memory)
    ended(memory, turn)
    again = memory.reopen_turn(turn.id, key="k2", owner="1@1", model="m")
    assert again.question == turn.question
    assert len(memory.messages("alice")) == 1
    assert [t.id for t in memory.turns("alice")] == [again.id]


def test_a_running_question_is_not_asked_again(memory):
    with pytest.raises(TurnRefused) as refused:
        memory.reopen_turn(opened(memory).id, key="k2", owner="1@1", model="m")
    assert refused.value.reason == "busy"


def test_an_answered_question_is_not_asked_again(memory):
    turn = opened(memory)
    memory.finish_turn(turn, outcome="answered", answer="An owl.", steps=[], used={}, helpers={})
    with pytest.raises(TurnRefused) as refused:
        memory.reopen_turn(turn.id, key="k2", owner="1@1", model="m")
    assert refused.value.reason == "not_retryable"


def test_only_the_latest_question_is_asked_again(memory):
    turn = opened(memory)
    ended(memory, turn)
    ended(memory, opened(memory, "And the heron?", "k2"))
    with pytest.raises(TurnRefused):
        memory.reopen_turn(turn.id, key="k3", owner="1@1", model="m")


def test_partial_text_is_kept_while_it_runs_and_not_after(memory):
    turn = opened(memory)
    memory.checkpoint_turn(turn.id, "An o\ud800")
    assert memory.turn(turn.id).partial_text == "An o\ufffd"
    ended(memory, turn)
    memory.checkpoint_turn(turn.id, "too late")
    assert memory.turn(turn.id).partial_text == "An o"


def test_how_a_step_after_the_answer_went_is_recorded(memory):
    turn = opened(memory)
    memory.note_helper(turn.id, "condense", {"status": "ok"})
    memory.note_helper("gone", "condense", {"status": "ok"})
    assert memory.turn(turn.id).helpers == {"condense": {"status": "ok"}}


def test_an_unknown_turn_is_told(memory):
    with pytest.raises(UnknownTurn):
        memory.turn("none")
