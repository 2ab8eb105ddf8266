"""Conversations as wholes, without a browser: the list and its groups, parts of long ones."""

import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
import time_machine
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.chat.thread_list import label_of
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import Thread
from researchassist.memory.stores.turns import Place
from tests.scripted_llm import ScriptedLLM

HTMX = {"HX-Request": "true"}
MakeAssistant = Callable[..., Assistant]


@pytest.fixture
def client(assistant_with: MakeAssistant) -> Client:
    """A browser without scripts; no language model is set."""
    assistant_with()
    return Client()


def waited(is_so: Callable[[], bool]) -> None:
    """Waits until it is so."""
    for _ in range(400):
        if is_so():
            return
        time.sleep(0.02)
    pytest.fail("It never came to be so.")


def filled(memory: MemoryManager, count: int) -> None:
    """Threads t000, t001 …, the later the newer."""
    for number in range(count):
        memory.write_thread(f"t{number:03d}", title=f"Title {number:03d}")


def titles(page: str) -> list[str]:
    return re.findall(r'thread-title">([^<]*)<', page)


def labels(page: str) -> list[str]:
    return re.findall(r'thread-group">([^<]*)<', page)


def test_the_days_are_called_as_people_call_them() -> None:
    today = date(2026, 3, 2)
    named = {day: label_of(day, today) for day in (
        date(2026, 3, 3), today, date(2026, 3, 1), date(2026, 2, 28), date(2026, 2, 23), date(2026, 2, 22),
        date(2026, 1, 1), date(2025, 12, 31),
    )}  # fmt: skip
    assert list(named.values()) == [
        "Today", "Today", "Yesterday", "Previous 7 days", "Previous 7 days", "February", "January",
        "December 2025",
    ]  # fmt: skip


def test_a_day_begins_where_the_person_is(client: Client, memory: MemoryManager, settings: object) -> None:
    settings.TIME_ZONE = "Pacific/Auckland"  # type: ignore[attr-defined]
    memory.write_thread("late", title="Late")
    # 23:30 on the 9th in Auckland; a minute after midnight there it was yesterday.
    Thread.objects.update(updated_at=datetime(2026, 6, 9, 11, 30, tzinfo=UTC))
    with time_machine.travel(datetime(2026, 6, 9, 11, 59, tzinfo=UTC), tick=False):
        assert labels(client.get("/").content.decode()) == ["Today"]
    with time_machine.travel(datetime(2026, 6, 9, 12, 1, tzinfo=UTC), tick=False):
        assert labels(client.get("/").content.decode()) == ["Yesterday"]


def test_the_list_comes_in_parts_and_a_group_goes_on_without_its_label(
    client: Client, memory: MemoryManager
) -> None:
    filled(memory, 50)
    page = client.get("/").content.decode()
    assert titles(page) == [f"Title {number:03d}" for number in reversed(range(10, 50))]
    (more,) = re.findall(r'hx-get="(/threads\?after=[^"]*)"', page)
    part = client.get(more, headers=HTMX).content.decode()
    assert titles(part) == [f"Title {number:03d}" for number in reversed(range(10))]
    assert (labels(page), labels(part)) == (["Today"], [])
    assert "/threads?after=" not in part
    whole = client.get(more, follow=True).content.decode()
    assert "<!doctype html>" in whole
    assert titles(whole) == titles(part)


@pytest.mark.parametrize("place", ["x", "1-", "9" * 40 + "-t1", "-5-t1", "%00"])
def test_a_place_that_is_none_gives_the_list_from_its_start(
    client: Client, memory: MemoryManager, place: str
) -> None:
    filled(memory, 3)
    for address in (f"/threads?after={place}", f"/?threads={place}", f"/threads/t001?before={place}&after=x"):
        assert client.get(address, follow=True).status_code == 200
    assert client.get(f"/threads?after={place}", headers=HTMX).status_code == 200


def test_a_long_conversation_comes_in_parts_also_without_scripts(
    client: Client, memory: MemoryManager
) -> None:
    for number in range(50):
        memory.write_conversational_memory(f"said-{number:02d}", "user", "t1")
    said = re.compile(r"said-\d\d(?=</div>)")
    page = client.get("/threads/t1").content.decode()
    assert said.findall(page) == [f"said-{number:02d}" for number in range(30, 50)]
    assert "Later messages" not in page
    (earlier,) = re.findall(r'href="(/threads/t1\?before=\d+)"', page)
    above = client.get(earlier).content.decode()
    assert said.findall(above) == [f"said-{number:02d}" for number in range(10, 30)]
    (later,) = re.findall(r'href="(/threads/t1\?after=\d+)"', above)
    assert said.findall(client.get(later).content.decode()) == said.findall(page)
    (part,) = re.findall(r'hx-get="(/threads/t1/part\?before=\d+)"', page)
    fragment = client.get(part, headers=HTMX).content.decode()
    assert said.findall(fragment) == said.findall(above)
    assert "Later messages" not in fragment
    assert client.get(part).headers["Location"] == "/threads/t1"


def test_a_link_to_a_message_opens_the_part_it_is_in(client: Client, memory: MemoryManager) -> None:
    said = [memory.write_conversational_memory(f"said-{number:02d}", "user", "t1") for number in range(60)]
    page = client.get(f"/threads/t1?at={said[5].id}").content.decode()
    assert f'id="message-{said[5].id}"' in page
    assert "Later messages" in page
    assert "said-59" not in page
    for unknown in ("0", "x", "9" * 30):
        assert "said-59" in client.get(f"/threads/t1?at={unknown}").content.decode()


def test_a_message_sent_from_an_old_part_leads_to_the_end(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Yes.")
    said = [memory.write_conversational_memory(f"said-{number:02d}", "user", "t1") for number in range(60)]
    here = HTMX | {"HX-Current-URL": f"http://testserver/threads/t1?at={said[5].id}"}
    response = client.post("/threads/t1/turns", {"query": "And now?"}, headers=here)
    assert response.headers["HX-Redirect"] == "/threads/t1"
    assert "message-kept" in response.headers["HX-Trigger"]


def test_the_name_the_model_gives_comes_onto_the_page_when_it_is_there(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    writer = ScriptedLLM(lambda asked: "Owls at night" if "Name this" in str(asked) else "[]", forever=True)
    assistant_with("Owls.", writer=writer)
    writer.gate = threading.Event()
    client.post("/threads/t1/turns", {"query": "Who hunts at night?"})
    (turn,) = memory.turns("t1")
    waited(lambda: memory.turn(turn.id).outcome == "answered")
    asking = 'id="titling" hx-get="/threads/t1/title"'
    assert asking in client.get("/threads/t1").content.decode()
    assert asking in client.get(f"/turns/{turn.id}", headers=HTMX).content.decode()
    assert asking in client.get("/threads/t1/title", headers=HTMX).content.decode()
    writer.gate.set()
    runner().wait_idle()
    response = client.get("/threads/t1/title", headers=HTMX)
    part = response.content.decode()
    assert response.headers["HX-Retarget"] == "#head"
    assert part.count("Owls at night") == 3  # head, page title, side list
    assert asking not in part
    assert client.get("/threads/t1/title").headers["Location"] == "/threads/t1"


def test_a_deleted_conversation_is_gone_at_once_and_undo_brings_it_back(
    client: Client, memory: MemoryManager
) -> None:
    said = memory.write_conversational_memory("Who hunts at <night>?", "user", "t1")
    memory.rename_thread("t1", "Owls & others")
    response = client.post("/threads/t1/delete")
    assert response.headers["Location"] == "/?deleted=t1"
    page = client.get("/?deleted=t1").content.decode()
    assert "“Owls &amp; others” was deleted. It can be brought back for 7 days." in page
    assert 'formaction="/threads/t1/restore"' in page
    assert titles(page) == []
    assert client.post("/threads/t1/delete", headers=HTMX).headers["HX-Redirect"] == "/?deleted=t1"
    assert client.post("/threads/t1/restore").headers["Location"] == "/threads/t1"
    assert [message.id for message in memory.messages("t1")] == [said.id]
    assert "was deleted" not in client.get("/?deleted=t1").content.decode()


def test_a_tab_that_still_shows_a_deleted_conversation_is_told_and_loses_nothing(
    client: Client, memory: MemoryManager
) -> None:
    said = memory.write_conversational_memory("Who hunts?", "user", "t1")
    client.post("/threads/t1/delete")
    page = client.post("/threads/t1/turns", {"query": "And by day?"})
    assert page.status_code == 409
    assert "And by day?</textarea>" in page.content.decode()
    for response in (
        client.post("/threads/t1/turns", {"query": "x"}, headers=HTMX),
        client.post("/threads/t1/turns", {"query": "/help"}, headers=HTMX),
        client.get("/threads/t1/part?before=9", headers=HTMX),
        client.post("/threads/t1/rename", {"title": "x"}, headers=HTMX),
    ):
        assert response.status_code in (404, 409)
        assert response.headers["HX-Retarget"] == "#notice"
        assert 'hx-post="/threads/t1/restore"' in response.content.decode()
    whole = client.get("/threads/t1").content.decode()
    assert "was deleted" in whole
    assert 'action="/threads/t1/restore"' in whole
    assert client.post(f"/messages/{said.id}/again").status_code == 404
    assert memory.threads() == []


def test_a_conversation_goes_out_as_a_file(client: Client, memory: MemoryManager) -> None:
    memory.write_conversational_memory("Who hunts?", "user", "t1")
    memory.rename_thread("t1", 'Owls / "others"\r\nX: y')
    text = client.get("/threads/t1/export.md")
    assert text.headers["Content-Disposition"] == 'attachment; filename="owls-others-x-y.md"'
    assert "> Who hunts?" in text.content.decode()
    assert client.get("/threads/t1/export.json").json()["messages"][0]["content"] == "Who hunts?"
    assert client.get("/threads/nope/export.json").status_code == 404


def test_what_was_said_is_found_in_all_conversations_with_its_words_marked(
    client: Client, memory: MemoryManager
) -> None:
    memory.write_thread("t1", title="Birds & <b>")
    old = memory.write_conversational_memory("Owls hunt at <i>night</i>", "user", "t1")
    memory.write_conversational_memory("Herons do not", "user", "t2")
    memory.open_turn(
        thread_id="t1", query="By day?", key="k", owner="1@1", model="m", place=Place(edit_of=old.id)
    )
    page = client.get("/search?q=owl night").content.decode()
    assert "1 message found" in page
    assert "<mark>Owls</mark> hunt at &lt;i&gt;<mark>night</mark>&lt;/i&gt;" in page
    assert f'href="/threads/t1?at={old.id}&amp;q=owl%20night#message-{old.id}"' in page
    assert "earlier version" in page
    assert "<b>" not in page
    part = client.get("/search?q=hero", headers=HTMX).content.decode()
    assert part.lstrip().startswith('<div class="threads" id="threads">')
    assert "<mark>Herons</mark>" in part, "the last word may be unfinished while it is typed"
    assert titles(client.get("/search?q=", headers=HTMX).content.decode())
    assert "No message in any conversation has these words" in client.get("/search?q=zebra").content.decode()
    for odd in ('"', "*", "a AND (", "%00", "NEAR(x y", "🦉" * 50):
        assert client.get("/search", {"q": odd}).status_code == 200


def test_case_b26_nothing_of_a_deleted_or_superseded_message_is_in_any_read(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    """Case B26, page side: what is out of a thread is in no request, search, export or summary."""
    writer = ScriptedLLM("[]", forever=True)
    model = assistant_with("Noted.", forever=True, writer=writer).model
    client.post("/threads/t1/turns", {"query": "The door code is 7719."})
    runner().wait_idle()
    client.post("/threads/t2/turns", {"query": "The gate code is 8820."})
    runner().wait_idle()
    (gate,) = memory.turns("t2")
    client.post(f"/messages/{gate.question.id}/again", {"query": "The gate is shut."})
    client.post("/threads/t1/delete")
    runner().wait_idle()
    model.requests.clear()
    writer.requests.clear()
    client.post("/threads/t2/turns", {"query": "What is the code of door and gate?"})
    runner().wait_idle()
    asked = str([request.messages for request in (*model.requests, *writer.requests)])
    assert "7719" not in asked
    assert "8820" not in asked
    assert "No message" in client.get("/search?q=7719").content.decode()
    assert "earlier version" in client.get("/search?q=8820").content.decode()
    shown = client.get("/threads/t2/export.md").content.decode().partition("## Earlier versions")[0]
    assert "8820" not in shown
    assert client.get("/threads/t1/export.json").status_code == 404


def test_case_b27_a_message_said_once_is_there_once(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    """Case B27, page side: condensed and asked about again it is one message, and requests do not grow."""
    assistant = assistant_with("Noted.", forever=True)
    client.post("/threads/t1/turns", {"query": "My seal is QX-77."})
    runner().wait_idle()
    assistant.condenser.condense_thread("t1")
    sizes = []
    for number in range(12):
        client.post("/threads/t1/turns", {"query": f"Question {number:02d} about nothing."})
        runner().wait_idle()
        sizes.append(len(assistant.model.requests[-1].user))
    assert "1 message found" in client.get("/search?q=QX-77").content.decode()
    assert len(memory.messages("t1")) == 26, "only what was said is a message"
    assert max(sizes[8:]) - min(sizes[8:]) < 600
