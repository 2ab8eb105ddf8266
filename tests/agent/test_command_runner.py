"""Runs of commands: on threads of their own, one a key, whatever happens ended with a row."""

import os
import threading
import time
from dataclasses import replace

import pytest
from django.conf import settings

from researchassist.agent import command_runner as runners
from researchassist.agent.command_runner import (
    CommandRequest,
    command_runner,
    drop_orphans,
    settle_interrupted_commands,
)
from researchassist.agent.commands import BY_NAME
from researchassist.agent.commands.definition import CommandResult
from researchassist.agent.runner import runner
from researchassist.agent.threads import delete_thread
from researchassist.agent.uploads import path_of, receive
from researchassist.errors import UnknownCommandRun, UnreadableFile, WebError
from tests.outside import pdf

DEAD = "999999999@1.00"


@pytest.fixture
def commands(assistant_with, tmp_path, monkeypatch):
    """The process' runner; files wait in a folder of the test's."""
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    assistant_with()
    return command_runner()


@pytest.fixture
def plays(monkeypatch):
    """Makes /help do what a test wants."""

    def make(run):
        monkeypatch.setitem(BY_NAME, "help", replace(BY_NAME["help"], run=run))

    return make


def until(look, seconds: float = 10.0):
    end = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    return seen


def test_a_run_is_kept_with_its_result_and_is_no_message(commands, memory):
    run = commands.start(CommandRequest("t", "help"))
    runner().wait_idle()
    done = memory.command_run(run.id)
    assert done.status == "done"
    assert CommandResult.from_json(done.result).rows[0].title == "/help"
    assert memory.messages("t") == []
    assert memory.thread("t").updated_at == done.started_at


def test_one_key_is_one_run_however_often_at_once(commands, memory, plays):
    ran = []
    plays(lambda context, argument: ran.append(1) or CommandResult("ok"))
    requests = [
        threading.Thread(target=commands.start, args=(CommandRequest("t", "help", "", "k"),))
        for _ in range(8)
    ]
    for one in requests:
        one.start()
    for one in requests:
        one.join()
    runner().wait_idle()
    assert len(memory.command_runs("t")) == 1
    assert ran == [1]


def test_a_failure_is_a_sentence_and_says_whether_its_reason_may_pass(commands, memory, plays):
    def refuse(context, argument):
        raise WebError("arXiv is down.")

    plays(refuse)
    run = commands.start(CommandRequest("t", "help"))
    runner().wait_idle()
    failed = memory.command_run(run.id)
    assert (failed.status, failed.error, failed.result) == ("failed", "arXiv is down.", {"passing": True})


def test_a_bug_ends_the_run_with_a_sentence(commands, memory, plays):
    plays(lambda context, argument: 1 / 0)
    run = commands.start(CommandRequest("t", "help"))
    runner().wait_idle()
    assert (
        memory.command_run(run.id).error == "Something went wrong inside ResearchAssist (ZeroDivisionError)."
    )


def test_what_it_does_is_told_while_it_runs_and_it_can_be_stopped(commands, memory, plays):
    go = threading.Event()

    def work(context, argument):
        context.tell("Reading page 1 of 2")
        go.wait(10)
        context.tell("Reading page 2 of 2")
        return CommandResult("never")

    plays(work)
    run = commands.start(CommandRequest("t", "help"))
    until(lambda: commands.words([run.id]) == {run.id: "Reading page 1 of 2"})
    assert commands.news({run.id: "older words"}, 5) == {run.id: "Reading page 1 of 2"}
    commands.stop(run.id)
    go.set()
    runner().wait_idle()
    assert memory.command_run(run.id).error == "You stopped this."
    assert commands.words([run.id]) == {}


def test_only_a_few_work_at_once(commands, memory, plays):
    go, working, most = threading.Event(), [], []

    def work(context, argument):
        working.append(1)
        most.append(len(working))
        go.wait(10)
        working.pop()
        return CommandResult()

    plays(work)
    for _ in range(6):
        commands.start(CommandRequest("t", "help"))
    until(lambda: len(working) == runners._AT_ONCE)
    go.set()
    runner().wait_idle()
    assert max(most) == runners._AT_ONCE
    assert {run.status for run in memory.command_runs("t")} == {"done"}


def test_a_run_whose_process_died_is_interrupted_and_runs_again_in_its_place(commands, memory):
    run, _ = memory.start_command(thread_id="t", name="help", argument="", key="k", owner=DEAD)
    assert settle_interrupted_commands(memory) == 1
    assert memory.command_run(run.id).status == "interrupted"
    commands.again(run.id)
    commands.again(run.id)
    runner().wait_idle()
    assert memory.command_run(run.id).status == "done"
    assert len(memory.command_runs("t")) == 1


def test_a_file_waits_for_its_reading_and_is_dropped_after_it(commands, memory, tmp_path):
    run = commands.add_file("t", "../../etc/Owls.pdf", 10, [pdf("Owls sleep.")], "k")
    runner().wait_idle()
    assert memory.command_run(run.id).argument == "Owls.pdf"
    assert memory.command_run(run.id).status == "done"
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_file_whose_reading_was_cut_off_is_still_there_to_be_read_again(commands, memory):
    run, _ = memory.start_command(thread_id="t", name="file", argument="Owls.txt", key="k", owner=DEAD)
    path_of(run.id).parent.mkdir()
    path_of(run.id).write_text("Owls sleep.")
    settle_interrupted_commands(memory)
    commands.again(run.id)
    runner().wait_idle()
    assert memory.command_run(run.id).status == "done"
    assert [one.title for one in memory.documents()] == ["Owls sleep."]


def test_a_file_sent_twice_is_read_once(commands, memory, tmp_path):
    first = commands.add_file("t", "a.txt", 4, [b"Owls"], "k")
    second = commands.add_file("t", "a.txt", 4, [b"Owls"], "k")
    runner().wait_idle()
    assert first.id == second.id
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_file_that_is_too_large_is_not_taken_in(commands, memory, tmp_path):
    with pytest.raises(UnreadableFile, match=r"big.pdf: larger than 100 MB"):
        commands.add_file("t", "big.pdf", 100_000_001, iter(()), "k")
    assert memory.threads() == []
    assert not (tmp_path / "incoming").exists()


def test_deleting_a_thread_stops_and_deletes_its_runs(commands, memory, plays):
    def work(context, argument):
        while True:
            context.tell("Working")
            time.sleep(0.01)

    plays(work)
    run = commands.start(CommandRequest("t", "help"))
    until(lambda: commands.words([run.id]))
    delete_thread(runner(), "t")
    runner().wait_idle()
    with pytest.raises(UnknownCommandRun):
        memory.command_run(run.id)
    assert memory.threads() == []


def test_a_file_whose_run_was_never_started_is_removed_after_an_hour(commands, memory):
    fresh, orphan = receive([b"fresh"]), receive([b"left behind"])
    kept = commands.start(CommandRequest("t", "help"))
    runner().wait_idle()
    path_of(kept.id).write_bytes(b"of a run")
    for run_id in (orphan.id, kept.id):
        os.utime(path_of(run_id), (0, 0))

    drop_orphans(memory)

    assert path_of(fresh.id).exists()
    assert path_of(kept.id).exists()
    assert not path_of(orphan.id).exists()
