"""Sending, refusing, stopping and retrying over HTTP, with real turns on their threads."""

import threading
from collections.abc import Callable

import pytest
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.errors import EmbeddingModelMismatch, ModelError
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import TurnRecord
from tests.scripted_llm import ScriptedLLM, calls

pytestmark = pytest.mark.django_db(transaction=True)

HTMX = {"HX-Request": "true"}
KEY = "0123456789abcdef" * 2
MakeAssistant = Callable[..., Assistant]


def send(client: Client, text: str, *, key: str = KEY, thread: str = "t1", **headers: str) -> object:
    """Sends a message and waits for its answer."""
    response = client.post(f"/threads/{thread}/turns", {"query": text, "key": key}, headers=headers)
    runner().wait_idle()
    return response


def only_turn(memory: MemoryManager, thread: str = "t1") -> TurnRecord:
    (turn,) = memory.turns(thread)
    return turn


def test_it_answers_and_shows_the_answer_without_scripts(
    client: Client, assistant_with: MakeAssistant
) -> None:
    assistant_with("It claims **41 %**.")
    response = client.post("/threads/t1/turns", {"query": "What does it claim?", "key": KEY}, follow=True)
    runner().wait_idle()
    page = client.get("/threads/t1").content.decode()
    assert response.redirect_chain == [("/threads/t1", 302)]
    assert "What does it claim?" in page
    assert "<strong>41 %</strong>" in page
    assert "What this used" in page


def test_it_reloads_by_itself_while_an_answer_is_written(
    client: Client, assistant_with: MakeAssistant
) -> None:
    model = assistant_with("Done.").model
    assert isinstance(model, ScriptedLLM)
    model.gate = threading.Event()
    page = client.post("/threads/t1/turns", {"query": "hi", "key": KEY}, follow=True).content.decode()
    model.gate.set()
    runner().wait_idle()
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    assert "Stop</button>" in page
    assert "http-equiv" not in client.get("/threads/t1").content.decode()


def test_it_gives_the_turn_and_what_it_changes_around_it(
    client: Client, assistant_with: MakeAssistant
) -> None:
    assistant_with("Yes.")
    response = client.post(
        "/threads/t1/turns",
        {"query": "Is it?", "key": KEY},
        headers=HTMX | {"HX-Current-URL": "http://testserver/"},
    )
    part = response.content.decode()
    assert response.headers["HX-Push-Url"] == "/threads/t1"
    assert "data-events" in part or "Yes." in part
    assert 'id="threads" hx-swap-oob="true"' in part
    assert 'name="key"' in part
    assert KEY not in part


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("  a\r\nb\n ", "  a\nb\n "), ("n\0ul", "nul"), ("\U0001f985 Größe\u2028x", "\U0001f985 Größe\u2028x")],
)
def test_it_keeps_what_was_written_as_it_was(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager, sent: str, kept: str
) -> None:
    assistant_with("ok")
    send(client, sent)
    assert only_turn(memory).question.content == kept


def test_it_survives_bytes_that_are_no_text(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("ok")
    client.post(
        "/threads/t1/turns",
        f"query=a%ED%A0%80b%00&key={KEY}",
        content_type="application/x-www-form-urlencoded",
    )
    runner().wait_idle()
    assert only_turn(memory).question.content.startswith("a\ufffd")


def test_it_runs_one_turn_for_one_key(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant = assistant_with("one", "two")
    first, second = send(client, "hello", **HTMX), send(client, "hello", **HTMX)
    assert first.status_code == second.status_code == 200  # type: ignore[attr-defined]
    assert len(memory.messages("t1")) == 2
    assert isinstance(assistant.model, ScriptedLLM)
    assert len(assistant.model.requests) == 1


def test_it_leaves_a_changed_text_in_the_composer_where_its_key_was_used(
    client: Client, assistant_with: MakeAssistant
) -> None:
    assistant_with("one")
    kept = send(client, "hello", **HTMX)
    changed = send(client, "something else", **HTMX)
    assert "message-kept" in kept.headers["HX-Trigger"]  # type: ignore[attr-defined]
    assert "HX-Trigger" not in changed.headers  # type: ignore[attr-defined]


def test_it_refuses_an_empty_message_beside_the_composer(
    client: Client, assistant_with: MakeAssistant
) -> None:
    assistant_with("never")
    response = client.post("/threads/t1/turns", {"query": " \n", "key": KEY}, headers=HTMX)
    assert response.status_code == 422
    assert response.headers["HX-Retarget"] == "#notice"
    assert "Write a question first." in response.content.decode()


def test_it_keeps_a_refused_text_in_the_page_without_scripts(
    client: Client, assistant_with: MakeAssistant
) -> None:
    assistant_with("never")
    text = "<long> " * 60_000
    response = client.post("/threads/t1/turns", {"query": text, "key": KEY})
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count("&lt;long&gt;") == 60_000
    assert 'formaction="/threads/t1/documents"' in page


def test_it_stores_a_long_text_as_a_document(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("never")
    response = client.post("/threads/t1/documents", {"query": "Kestrel notes\n\nA long text."}, headers=HTMX)
    assert response.status_code == 200
    assert "Stored as the document “Kestrel notes” (1 passage)" in response.content.decode()
    assert [document.title for document in memory.documents()] == ["Kestrel notes"]
    assert memory.threads() == []


def test_it_refuses_a_second_message_while_one_is_answered(
    client: Client, assistant_with: MakeAssistant
) -> None:
    model = assistant_with("Done.").model
    assert isinstance(model, ScriptedLLM)
    model.gate = threading.Event()
    client.post("/threads/t1/turns", {"query": "first", "key": KEY})
    busy = client.post("/threads/t1/turns", {"query": "second", "key": "f" * 32})
    model.gate.set()
    runner().wait_idle()
    assert busy.status_code == 409
    assert "still being written" in busy.content.decode()
    assert "second</textarea>" in busy.content.decode()


def test_it_says_other_errors_in_place(
    client: Client, assistant_with: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant_with("never")

    def mismatch(*_: object) -> None:
        raise EmbeddingModelMismatch("This database is bound to another model.")

    monkeypatch.setattr("researchassist.agent.turn._open", mismatch)
    response = client.post("/threads/t1/turns", {"query": "hi", "key": KEY}, headers=HTMX)
    assert response.status_code == 422
    assert "bound to another model" in response.content.decode()


def test_it_shows_a_failure_and_tries_again(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with(ModelError("The server refused the key."), "Now it works.")
    send(client, "hi")
    page = client.get("/threads/t1").content.decode()
    assert "The server refused the key." in page
    assert "Retry</button>" in page
    response = client.post(f"/turns/{only_turn(memory).id}/retry", {"key": "a" * 32}, headers=HTMX)
    runner().wait_idle()
    assert response.status_code == 200
    assert "Now it works." in client.get("/threads/t1").content.decode()
    assert len(memory.messages("t1")) == 2


def test_it_does_not_ask_an_answered_question_again(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Yes.")
    send(client, "hi")
    response = client.post(f"/turns/{only_turn(memory).id}/retry", {"key": "a" * 32}, headers=HTMX)
    assert response.status_code == 422
    assert "Only the latest question" in response.content.decode()


def test_it_shows_a_turn_whose_process_died_as_interrupted(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("never")
    memory.open_turn(thread_id="t1", query="hi", key=KEY, owner="999999999@1.00", model="m")
    memory.checkpoint_turn(only_turn(memory).id, "Half an ans")
    page = client.get("/threads/t1").content.decode()
    assert "interrupted" in page
    assert "Half an ans" in page
    assert "Retry</button>" in page


def test_it_says_what_an_answer_used_and_what_was_left_out(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant = assistant_with(calls(("get_current_time", "{}")), "It is late.")
    memory.write_knowledge_base(
        "Kestrel cuts <latency>.", {"title": "Kestrel notes", "source": "k.md", "page": 7}
    )
    send(client, "What time is it for Kestrel?")
    turn = only_turn(memory)
    page = client.get(f"/turns/{turn.id}/used").content.decode()
    for words in ("Kestrel notes", "page 7", "Kestrel cuts &lt;latency&gt;.", "get_current_time", "success"):
        assert words in page
    assert f"of {assistant.options.budget():,} tokens" in page
    assert "Model: scripted" in page
    assert "No language model is set." in page  # why the names were not extracted
    log = client.get(f"/logs/{turn.used['calls'][0]['log_id']}", headers=HTMX).content.decode()
    assert "Arguments" in log
    assert "<!doctype" not in log


def test_it_tries_failed_steps_after_the_answer_again(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    writer = ScriptedLLM(ModelError("Writer away."), "[]", "A name", "[]")
    assistant_with("Yes.", writer=writer)
    send(client, "Who is Ada?")
    turn = only_turn(memory)
    assert "Try again" in client.get(f"/turns/{turn.id}/used").content.decode()
    client.post(f"/turns/{turn.id}/helpers", headers=HTMX)
    runner().wait_idle()
    assert all(state["status"] == "ok" for state in memory.turn(turn.id).helpers.values())
    assert "Try again" not in client.get(f"/turns/{turn.id}/used").content.decode()


def test_it_stops_a_running_answer(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    model = assistant_with("Done.").model
    assert isinstance(model, ScriptedLLM)
    model.gate = threading.Event()
    client.post("/threads/t1/turns", {"query": "hi", "key": KEY})
    response = client.post(f"/turns/{only_turn(memory).id}/stop", headers=HTMX)
    runner().wait_idle(10)
    model.gate.set()
    assert response.status_code == 204
    assert only_turn(memory).outcome == "stopped"
    assert "Stopped before anything was written." in client.get("/threads/t1").content.decode()
