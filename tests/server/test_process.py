"""The main job on real input: ask, kill, start again, and the assistant still knows."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from researchassist.llm.types import Reply
from tests.fake_model_server import FakeModelServer
from tests.scripted_llm import calls

from .conftest import Server, models, until

QUESTION = "What does the Kestrel paper claim?"


def _rows(server: Server, query: str) -> list[tuple[object, ...]]:
    file = Path(server.environment["RESEARCHASSIST_DATA_DIR"]) / "researchassist.sqlite3"
    with sqlite3.connect(file) as connection:
        return connection.execute(query).fetchall()


def _answered(server: Server, thread_id: str, number: int = 1) -> bool:
    rows = _rows(server, f"SELECT outcome FROM turn WHERE thread_id = '{thread_id}'")
    return [row[0] for row in rows].count("answered") == number


def test_a_question_is_answered_without_a_model_from_the_notes(serve: Callable[..., Server]) -> None:
    server = serve()

    assert server.ask("first", QUESTION, "key-1") in (302, 303)
    until(lambda: _answered(server, "first"))

    page = server.get("/threads/first")
    assert "41%" in page
    assert "kestrel-notes.md" in page


def test_after_kill_9_the_follow_up_holds_the_first_exchange_word_for_word(
    serve: Callable[..., Server], model_server: FakeModelServer
) -> None:
    first_answer = "It claims 41% fewer resumption errors — on *synthetic* tasks (kestrel-notes.md)."
    model_server.loop += [Reply(first_answer), Reply("Marlow and Iversen.")]
    server = serve(**models(model_server))
    server.ask("kept", QUESTION, "key-1")
    until(lambda: _answered(server, "kept"))

    server.kill()
    again = serve(**models(model_server))
    page = again.get("/threads/kept")
    again.ask("kept", "And who wrote it?", "key-2")
    until(lambda: _answered(again, "kept", 2))

    assert QUESTION in page
    content = str(model_server.requests[1]["messages"][1]["content"])
    assert f"user: {QUESTION}\n" in content
    assert f"assistant: {first_answer}\n" in content


def test_kill_9_during_a_turn_leaves_the_message_and_an_interrupted_turn_to_retry(
    serve: Callable[..., Server], model_server: FakeModelServer
) -> None:
    model_server.loop += [Reply("A long answer that is cut in its middle."), Reply("Whole this time.")]
    model_server.hold.clear()
    server = serve(**models(model_server))
    server.ask("cut", QUESTION, "key-1")
    until(lambda: model_server.requests)

    server.kill()

    assert _rows(server, "PRAGMA integrity_check") == [("ok",)]
    assert _rows(server, "SELECT role, content FROM conversational_memory WHERE thread_id = 'cut'") == [
        ("user", QUESTION)
    ]
    again = serve(**models(model_server))
    page = again.get("/threads/cut")
    assert _rows(again, "SELECT outcome FROM turn") == [("interrupted",)]
    assert "interrupted" in page
    assert "/retry" in page


def test_a_turn_with_two_tool_calls_is_logged_and_leaves_one_workflow(
    serve: Callable[..., Server], model_server: FakeModelServer
) -> None:
    model_server.loop += [
        calls(
            ("get_current_time", "{}"),
            ("remember_entity", '{"name": "Kestrel", "type": "SYSTEM", "description": "a paper"}'),
        ),
        Reply("Noted."),
    ]
    server = serve(**models(model_server))

    server.ask("tools", "Remember Kestrel, and what time is it?", "key-1")
    until(lambda: _answered(server, "tools"))

    assert _rows(server, "SELECT tool_name, status FROM tool_log_memory ORDER BY id") == [
        ("get_current_time", "success"),
        ("remember_entity", "success"),
    ]
    assert _rows(server, "SELECT num_steps, success FROM workflow_memory") == [(2, 1)]


def test_a_note_ingested_by_another_process_is_found_by_the_next_question(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    server = serve()
    server.ask("before", "Which valve was fitted backwards?", "key-1")
    until(lambda: _answered(server, "before"))
    note = tmp_path / "pump.md"
    note.write_text("# Pump log\n\nValve KZ-914 was fitted backwards on 3 March.\n", encoding="utf-8")

    done = server.run("ingest", str(note))
    server.ask("after", "Which valve was fitted backwards?", "key-2")
    until(lambda: _answered(server, "after"))

    assert done.returncode == 0, done.stderr
    assert "KZ-914" not in server.get("/threads/before")
    assert "KZ-914" in server.get("/threads/after")


def test_the_same_form_sent_twice_is_one_turn(serve: Callable[..., Server]) -> None:
    server = serve()

    server.ask("twice", QUESTION, "one-key")
    server.ask("twice", QUESTION, "one-key")
    until(lambda: _answered(server, "twice"))

    assert _rows(server, "SELECT count(*) FROM turn") == [(1,)]
    assert _rows(server, "SELECT count(*) FROM conversational_memory WHERE thread_id = 'twice'") == [(2,)]


def test_a_port_in_use_is_a_sentence(serve: Callable[..., Server]) -> None:
    server = serve()

    done = server.run("serve", "--port", server.url.rpartition(":")[2])

    assert done.returncode == 1
    assert "cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
