"""Versions of a question, without a browser."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager

HTMX = {"HX-Request": "true"}
MakeAssistant = Callable[..., Assistant]
Ask = Callable[..., str]


@pytest.fixture
def client(assistant_with: MakeAssistant) -> Client:
    assistant_with(*(f"answer {number}" for number in range(1, 9)))
    return Client()


@pytest.fixture
def ask(client: Client, memory: MemoryManager) -> Ask:
    """Asks in thread t1 and gives the question's id."""

    def one(query: str, **fields: str) -> str:
        client.post("/threads/t1/turns", {"query": query, **fields})
        runner().wait_idle()
        return memory.messages("t1")[-2].id

    return one


def said(memory: MemoryManager) -> list[str]:
    return [message.content for message in memory.messages("t1")]


def test_asking_again_twice_with_one_form_asks_once(client: Client, ask: Ask, memory: MemoryManager) -> None:
    first, key = ask("one"), "0" * 32
    for _ in range(2):
        response = client.post(f"/messages/{first}/again", {"query": "uno", "key": key})
        runner().wait_idle()
    assert response.status_code == 302
    assert said(memory) == ["uno", "answer 2"]


def test_a_fragment_brings_the_whole_conversation_up_to_date(
    client: Client, ask: Ask, memory: MemoryManager
) -> None:
    first = ask("one")
    ask("two")
    response = client.post(f"/messages/{first}/again", {"query": "uno"}, headers=HTMX)
    page = response.content.decode()
    runner().wait_idle()
    new = memory.messages("t1")[0].id
    assert response.headers["HX-Retarget"] == "#conversation"
    assert response.headers["HX-Reswap"] == f"innerHTML show:#message-{new}:top"
    assert "2 of 2" in page
    assert "two" not in page
    assert 'id="branch" name="branch" value="1" hx-swap-oob="true"' in page
    assert "<title>uno · ResearchAssist</title>" in page
    assert client.post(f"/messages/{first}/version").headers["Location"] == (
        f"/threads/t1?at={first}#message-{first}"
    )
    assert said(memory) == ["one", "answer 1", "two", "answer 2"]


def test_what_was_written_stays_in_the_form_where_it_is_refused(
    client: Client, ask: Ask, memory: MemoryManager
) -> None:
    first = ask("one")
    long = "word " * 200_000
    for text, sentence in (
        ("", "Write a question first."),
        (long, "a question may be"),
        ("/help", "A command"),
    ):
        response = client.post(f"/messages/{first}/again", {"query": text})
        page = response.content.decode()
        assert response.status_code == 422
        assert sentence in page
        assert f"\n{text}</textarea>" in page
        part = client.post(f"/messages/{first}/again", {"query": text}, headers=HTMX)
        assert part.headers["HX-Retarget"] == "#notice"
    assert said(memory) == ["one", "answer 1"]


def test_a_message_that_was_superseded_can_be_reached_by_its_link(
    client: Client, ask: Ask, memory: MemoryManager
) -> None:
    ask("one")
    second = ask("two")
    client.post(f"/messages/{second}/again", {"query": "zwei"})
    runner().wait_idle()
    page = client.get(f"/threads/t1?at={second}").content.decode()
    assert "in an earlier version of this conversation" in page
    assert f'action="/messages/{second}/version"' in page
    assert "zwei" in page


def test_the_page_names_the_branch_it_shows_and_another_is_refused(
    client: Client, ask: Ask, memory: MemoryManager
) -> None:
    first = ask("one")
    ask("uno") and client.post(f"/messages/{first}/again")
    runner().wait_idle()
    (branch,) = re.findall(r'name="branch" value="(\d+)"', client.get("/threads/t1").content.decode())
    refused = client.post("/threads/t1/turns", {"query": "late", "branch": "0"})
    assert refused.status_code == 409
    assert "late</textarea>" in refused.content.decode()
    ask("in time", branch=branch)
    assert said(memory) == ["one", "answer 3", "in time", "answer 4"]


@pytest.mark.parametrize("what", ["again", "version", "edit", "question"])
def test_unknown_messages_are_told(client: Client, ask: Ask, memory: MemoryManager, what: str) -> None:
    ask("one")
    answer = memory.messages("t1")[1].id
    send = client.post if what in ("again", "version") else client.get
    for message_id in ("0", "x", *([answer] if what != "version" else [])):
        response = send(f"/messages/{message_id}/{what}")
        assert response.status_code == 404
        assert "That did not work" in response.content.decode()
    assert said(memory) == ["one", "answer 1"]
