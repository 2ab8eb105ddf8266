"""A conversation goes out as a file and comes back without loss; a bad file changes nothing."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from researchassist.agent import personal_file
from researchassist.agent.condense import expanded
from researchassist.agent.ingest import ingest_bytes, ingest_text
from researchassist.agent.runner import runner
from researchassist.agent.thread_files import export_json, export_markdown, import_thread
from researchassist.agent.threads import delete_thread
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.errors import ResearchAssistError, UnknownThread, UnreadableFile
from researchassist.memory.models import ConversationalMemory, Thread, Turn
from tests.scripted_llm import calls


@pytest.fixture
def thread(assistant_with: Callable[..., Any], memory) -> str:
    """A thread with all that one can have: sources, tools, a summary, versions, a command, a failed turn."""
    assistant = assistant_with(
        calls(("get_current_time", "{}")), "At noon [1].", "Owls.", "Owls again.", forever=True
    )
    ingest_text(assistant, "Kestrel hunts at noon.", title="Kestrel notes")
    call_agent(assistant, "When does Kestrel hunt?", "t1")
    assistant.condenser.condense_thread("t1")
    second = call_agent(assistant, "Who hunts at night?", "t1").turn
    list(stream_turn(assistant, TurnRequest("t1", "Which bird hunts at night?", edit_of=second.question.id)))
    run, _ = memory.start_command(thread_id="t1", name="documents", argument="", key="k", owner="1@1")
    memory.end_command(run.id, status="done", result={"text": "None.", "cards": [], "rows": []})
    turn = memory.open_turn(thread_id="t1", query="Late?", key="late", owner="1@1", model="m")
    memory.end_turn_without_answer(turn.id, outcome="failed", error="Away.", partial_text="Hal")
    return "t1"


def exported(assistant, thread_id: str) -> dict[str, Any]:
    return json.loads(export_json(assistant, thread_id)) | {"exported_at": ""}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "thread.json"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def assistant(thread: str) -> Any:
    return runner().assistant


def test_it_comes_back_the_same_into_an_empty_memory(assistant, memory, thread, tmp_path):
    before, path = exported(assistant, thread), written(tmp_path, export_json(assistant, thread))
    opened = [expanded(memory, one["id"]) for one in before["summaries"]]
    memory.delete_thread(thread)
    done = import_thread(assistant, path)
    assert (done.new, done.thread.id) == (True, thread)
    assert exported(assistant, thread) == before
    assert [expanded(memory, one["id"]) for one in before["summaries"]] == opened
    assert [record.id for record in memory.read_summary_context("Kestrel", thread).records]
    assert len(memory.versions(memory.messages(thread)[2:3])[memory.messages(thread)[2].id]) == 2
    [call] = memory.turns(thread)[0].used["calls"]
    assert memory.tool_log(call["log_id"]).tool_name == "get_current_time"


def test_taking_it_in_twice_is_taking_it_in_once(assistant, memory, thread, tmp_path):
    path = written(tmp_path, export_json(assistant, thread))
    counts = (ConversationalMemory.objects.count(), Turn.objects.count(), memory.sizes())
    call_agent(assistant, "And after that?", thread)
    assert not import_thread(assistant, path).new, "also where it has gone on since"
    memory.delete_thread(thread)
    assert [import_thread(assistant, path).new for _ in range(2)] == [True, False]
    assert (ConversationalMemory.objects.count(), Turn.objects.count(), memory.sizes()) == counts


def test_a_copy_is_another_conversation_and_its_summaries_are_its_own(assistant, memory, thread, tmp_path):
    path = written(tmp_path, export_json(assistant, thread))
    copy = import_thread(assistant, path, copy=True).thread.id
    ours, theirs = exported(assistant, thread), exported(assistant, copy)
    for part in ("turns", "summaries", "commands"):
        assert not {one["id"] for one in ours[part]} & {one["id"] for one in theirs[part]}
    assert [m["content"] for m in ours["messages"]] == [m["content"] for m in theirs["messages"]]
    summary = theirs["summaries"][0]["id"]
    assert {m.thread_id for m in memory.messages_of_summary(summary)} == {copy}


def test_another_conversation_with_its_id_is_left_alone(assistant, memory, thread, tmp_path):
    path = written(tmp_path, export_json(assistant, thread))
    memory.delete_thread(thread)
    memory.write_conversational_memory("Something else", "user", thread)
    with pytest.raises(UnreadableFile, match="Nothing was changed"):
        import_thread(assistant, path)
    assert [m.content for m in memory.messages(thread)] == ["Something else"]


def test_a_deleted_conversation_comes_back_from_its_file(assistant, memory, thread, tmp_path):
    path = written(tmp_path, export_json(assistant, thread))
    delete_thread(runner(), thread)
    assert import_thread(assistant, path).new
    assert memory.forgotten_threads() == []


@pytest.mark.parametrize(
    "text",
    ["", "not json", "[]", "{}", '{"format": "researchassist-thread", "version": 2}', "[" * 100_000, "\x00"],
)
def test_what_is_no_such_file_gets_a_sentence(assistant, memory, thread, tmp_path, text):
    with pytest.raises(UnreadableFile, match="is no conversation as export_thread writes it"):
        import_thread(assistant, written(tmp_path, text))
    assert [one.id for one in memory.threads()] == [thread]


def test_an_export_among_documents_is_refused_with_the_command_that_takes_it_in(assistant, memory, thread):
    before = memory.documents()
    for text, command in (
        (export_json(assistant, thread), "import_thread"),
        (personal_file.written(memory), "import_memory"),
    ):
        with pytest.raises(UnreadableFile, match=f"manage.py {command}"):
            ingest_bytes(assistant, "exported.json", text.encode())
    assert memory.documents() == before


def test_a_file_that_is_not_there_gets_a_sentence(assistant, tmp_path):
    with pytest.raises(UnreadableFile, match="cannot be read"):
        import_thread(assistant, tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f["messages"][1].update(follows=None), "not on the one branch"),
        (lambda f: f["messages"][1].update(timestamp="2020-01-01T00:00:00Z"), "is not later"),
        (lambda f: f["messages"][1].update(timestamp="2027-01-01T00:00:00"), "timezone"),
        (lambda f: f["messages"][0].update(role="system"), "messages.0.role"),
        (lambda f: f["messages"][0].update(summary="0000"), "not in its summary"),
        (lambda f: f["turns"][0].update(question=2), "has no question"),
        (lambda f: f["turns"][1].update(id=f["turns"][0]["id"]), "two turns have one id"),
        (lambda f: f["turns"][0].update(answer=99), "no such answer"),
        (lambda f: f["tool_logs"][0].update(turn="none"), "of a turn that is not there"),
        (lambda f: f.update(secret="x"), "secret"),
    ],
)
def test_parts_that_do_not_belong_together_are_named(assistant, memory, thread, tmp_path, change, sentence):
    file = json.loads(export_json(assistant, thread))
    change(file)
    memory.delete_thread(thread)
    with pytest.raises(UnreadableFile, match=sentence):
        import_thread(assistant, written(tmp_path, json.dumps(file)))
    assert not Thread.objects.exists()


def test_whatever_stands_in_a_file_it_is_refused_or_every_page_of_it_opens(
    assistant, memory, thread, tmp_path
):
    chance, original = random.Random(3), json.loads(export_json(assistant, thread))
    memory.delete_thread(thread)
    taken = 0
    for _ in range(60):
        file = json.loads(json.dumps(original))
        _replace_one(file, chance)
        try:
            import_thread(assistant, written(tmp_path, json.dumps(file)))
        except ResearchAssistError:
            assert not Thread.objects.exists()
            continue
        taken += 1
        thread_id = memory.threads()[0].id
        turns = [turn.id for turn in memory.turns(thread_id)]
        addresses = [f"/threads/{thread_id}", f"/threads/{thread_id}/export.md"]
        for address in [*addresses, *(f"/turns/{turn}/used" for turn in turns)]:
            assert Client().get(address).status_code == 200
        memory.delete_thread(thread_id)
    assert taken, "some changes are harmless"


def _replace_one(value: Any, chance: random.Random) -> None:
    """Puts something odd in the place of one value, however deep it is."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = chance.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and chance.random() < 0.9:
        _replace_one(value[key], chance)
    else:
        value[key] = chance.choice(
            [
                None,
                -1,
                1e308,
                float("nan"),
                "",
                "\ud800",
                "x" * 5000,
                [],
                {},
                [[]],
                {"a": None},
                True,
                "<script>",
            ]
        )


def test_markdown_has_what_was_said_its_sources_and_the_earlier_version_marked(assistant, thread):
    text = export_markdown(assistant, thread)
    shown, _, earlier = text.partition("## Earlier versions")
    assert "> When does Kestrel hunt?" in shown
    assert "At noon [1]." in shown
    assert "1. Kestrel notes" in shown
    assert "> Which bird hunts at night?" in shown
    assert "> Who hunts at night?" not in shown
    assert "> Who hunts at night?" in earlier
    assert "superseded 20" in earlier


def test_a_thread_that_is_not_there_is_told(assistant):
    with pytest.raises(UnknownThread):
        export_json(assistant, "nobody")
