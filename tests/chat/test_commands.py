"""Commands over HTTP: given like a message, kept on the page, never a message."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.commands import BY_NAME
from researchassist.agent.commands.definition import CommandResult, Entry
from researchassist.agent.ingest import ingest_text
from researchassist.agent.runner import runner
from researchassist.chat.command_item import _shown
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

HTMX = {"HX-Request": "true"}
KEY = "0123456789abcdef" * 2
MakeAssistant = Callable[..., Assistant]
HOSTILE = "<script>window.hit=1</script> [x](javascript:1) ![i](http://127.0.0.1:9/i.png) <b hx-get='/'>"


def give(client: Client, text: str, *, key: str = KEY, thread: str = "t1", **headers: str) -> object:
    """Sends a command and waits for its end."""
    response = client.post(f"/threads/{thread}/turns", {"query": text, "key": key}, headers=headers)
    runner().wait_idle()
    return response


def test_a_command_works_without_scripts_and_survives_a_reload(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    response = client.post("/threads/t1/turns", {"query": "/help", "key": KEY}, follow=True)
    runner().wait_idle()
    page = client.get("/threads/t1").content.decode()
    assert response.redirect_chain == [("/threads/t1", 302)]
    assert "<code>/help</code>" in page
    assert "/arxiv QUERY" in page
    assert memory.messages("t1") == []


def test_a_command_is_in_no_context(client: Client, assistant_with: MakeAssistant) -> None:
    model = assistant_with("ok").model
    give(client, "/search secret-word")
    client.post("/threads/t1/turns", {"query": "hi", "key": "a" * 32})
    runner().wait_idle()
    assert isinstance(model, ScriptedLLM)
    assert "secret-word" not in str(model.requests[0].messages)


def test_commands_and_messages_stand_in_their_order(client: Client, assistant_with: MakeAssistant) -> None:
    assistant_with("Answer one.", "Answer two.")
    for number, text in enumerate(["first question", "/help", "second question"]):
        give(client, text, key=f"{number}" * 32)
    page = client.get("/threads/t1").content.decode()
    main = page[page.index('id="conversation"') :]
    places = [main.index(words) for words in ("first question", "<code>/help</code>", "second question")]
    assert places == sorted(places)


def test_htmx_gets_the_row_and_what_it_changes_around_it(
    client: Client, assistant_with: MakeAssistant
) -> None:
    assistant_with()
    response = give(client, "/help", **HTMX, **{"HX-Current-URL": "http://testserver/"})
    part = response.content.decode()  # type: ignore[attr-defined]
    assert part.lstrip().startswith('<article class="command')
    assert response.headers["HX-Push-Url"] == "/threads/t1"  # type: ignore[attr-defined]
    assert "message-kept" in response.headers["HX-Trigger"]  # type: ignore[attr-defined]
    assert 'id="threads" hx-swap-oob="true"' in part


def test_one_key_is_one_run(client: Client, assistant_with: MakeAssistant, memory: MemoryManager) -> None:
    assistant_with()
    for _ in range(3):
        assert give(client, "/help", **HTMX).status_code == 200  # type: ignore[attr-defined]
    assert len(memory.command_runs("t1")) == 1


def test_a_word_that_is_nearly_a_command_stays_in_the_composer(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    response = client.post("/threads/t1/turns", {"query": "/documnets", "key": KEY})
    assert response.status_code == 422
    page = response.content.decode()
    assert "Did you mean /documents" in page
    assert "/documnets</textarea>" in page
    assert memory.threads() == []


def test_a_path_is_an_ordinary_message(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("ok")
    give(client, "/usr/bin is full")
    assert memory.messages("t1")[0].content == "/usr/bin is full"


def test_a_running_command_shows_what_it_does_and_can_be_stopped(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def work(context: object, argument: str) -> CommandResult:
        go.wait(20)
        context.tell("more")  # type: ignore[attr-defined]
        return CommandResult("never")

    monkeypatch.setitem(BY_NAME, "arxiv", replace(BY_NAME["arxiv"], run=work))
    assistant_with()
    client.post("/threads/t1/turns", {"query": "/arxiv owls & <larks>", "key": KEY})
    page = client.get("/threads/t1").content.decode()
    (run,) = memory.command_runs("t1")
    assert "Searching arXiv for “owls &amp; &lt;larks&gt;”…" in page
    assert f'data-command="{run.id}"' in page
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    assert client.post(f"/commands/{run.id}/stop", headers=HTMX).status_code == 204
    go.set()
    runner().wait_idle()
    part = client.get(f"/commands/{run.id}", headers=HTMX).content.decode()
    assert "You stopped this." in part
    assert "Run again" in part


def test_the_stream_tells_what_runs_and_that_it_ended(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def work(context: object, argument: str) -> CommandResult:
        go.wait(20)
        return CommandResult("done")

    monkeypatch.setitem(BY_NAME, "arxiv", replace(BY_NAME["arxiv"], run=work))
    assistant_with()
    client.post("/threads/t1/turns", {"query": "/arxiv owls", "key": KEY})
    (run,) = memory.command_runs("t1")
    stream = iter(client.get(f"/commands/events?ids={run.id},nope").streaming_content)  # type: ignore[attr-defined]
    events = [next(stream).decode() for _ in range(3)]
    assert any('"command_end", "id": "nope"' in event for event in events)
    assert any("Searching arXiv for" in event for event in events)
    go.set()
    rest = "".join(part.decode() for part in stream)
    assert f'"command_end", "id": "{run.id}"' in rest


def test_a_command_whose_process_died_is_interrupted_and_runs_again(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    run, _ = memory.start_command(thread_id="t1", name="help", argument="", key="k", owner="999999999@1.00")
    page = client.get("/threads/t1").content.decode()
    assert "This was interrupted before it was complete." in page
    assert "Run again</button>" in page
    response = client.post(f"/commands/{run.id}/again", headers=HTMX)
    runner().wait_idle()
    assert response.status_code == 200
    assert memory.command_run(run.id).status == "done"
    assert memory.command_run(run.id).key == "k"


def test_forgetting_and_its_undo_are_buttons(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    number = ingest_text(assistant_with(), "Kestrel cuts latency.", title="Kestrel").document.id
    give(client, f"/forget-document {number}")
    page = client.get("/threads/t1").content.decode()
    assert memory.documents() == []
    assert f'name="query" value="/restore-document {number}"' in page
    give(client, f"/restore-document {number}", key="b" * 32)
    assert [one.title for one in memory.documents()] == ["Kestrel"]


def test_an_answer_says_that_its_source_was_deleted(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant = assistant_with("It cuts latency.")
    number = ingest_text(assistant, "Kestrel cuts latency.", title="Kestrel").document.id
    memory.write_knowledge_base("Kestrel is a loose passage.", {"source": "loose.md"})
    client.post("/threads/t1/turns", {"query": "What does Kestrel do?", "key": KEY})
    runner().wait_idle()
    (turn,) = memory.turns("t1")
    assert "source deleted" not in client.get(f"/turns/{turn.id}/used").content.decode()
    give(client, f"/forget-document {number}", key="b" * 32)
    assert client.get(f"/turns/{turn.id}/used").content.decode().count("source deleted") == 1
    give(client, f"/restore-document {number}", key="c" * 32)
    assert "source deleted" not in client.get(f"/turns/{turn.id}/used").content.decode()


def test_hostile_titles_and_arguments_are_text(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    ingest_text(assistant_with(), "words", title=HOSTILE)
    memory.write_thread("t2", title=HOSTILE)
    memory.write_conversational_memory(HOSTILE, "user", "t2")
    for number, text in enumerate(["/documents", "/search window", f"/expand {HOSTILE}", f"/arxiv{HOSTILE}"]):
        give(client, text, key=f"{number}" * 32)
    page = client.get("/threads/t1").content.decode()
    assert "<script>window" not in page
    assert "<b hx-get" not in page
    assert 'href="javascript' not in page
    assert "<img" not in page


def test_links_open_only_the_web() -> None:
    links = [_shown(Entry("t", url=url)).link for url in ("javascript:1", "data:x", "ftp://a", "https://a/b")]
    assert links == ["", "", "", "https://a/b"]


def test_commands_go_with_their_thread(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    give(client, "/help")
    (run,) = memory.command_runs("t1")
    client.post("/threads/t1/delete")
    response = client.get(f"/commands/{run.id}", headers=HTMX)
    assert response.status_code == 404
    assert "There is no command run" in response.content.decode()


@pytest.mark.parametrize("address", ["/commands/nope/again", "/commands/nope/stop"])
def test_unknown_runs_are_sentences(client: Client, assistant_with: MakeAssistant, address: str) -> None:
    assistant_with()
    assert client.post(address).status_code == 404
    assert client.get(address).status_code == 405
