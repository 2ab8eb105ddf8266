"""Conversations as wholes, in Chromium: deleting with undo, parts of long ones, files, names."""

import json
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]


def test_a_deleted_thread_is_gone_at_once_and_comes_back_with_undo(
    open_tab: OpenTab, held: Callable[..., HeldLLM], memory: MemoryManager
) -> None:
    held("Half an ans", "wer")
    tab = open_tab()
    page = tab.page
    tab.ask("Who hunts at night?")
    expect(page.locator(".live-text")).to_have_text("Half an ans")
    address = page.url
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#greeting")).to_be_visible()
    expect(page.locator("#notice")).to_contain_text("“Who hunts at night?” was deleted.")
    expect(page.locator(".threads li")).to_have_count(0)
    assert memory.threads() == []
    assert memory.running_turns() == []
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".question-text")).to_have_text(["Who hunts at night?"])
    expect(page.locator(".prose")).to_have_text(["Half an ans"])
    assert page.url == address
    page.go_back()
    expect(page.locator("#greeting")).to_be_visible()
    assert tab.complaints == []


def test_a_long_thread_loads_upwards_and_what_is_read_stays_where_it_is(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    for number in range(60):
        memory.write_conversational_memory(f"Message {number}. " + "words " * 60, "user", "t1")
    tab = open_tab("/threads/t1", viewport={"width": 900, "height": 600})
    page = tab.page
    expect(page.locator(".turn")).to_have_count(20)
    seen = page.locator(".turn").first.get_attribute("id") or page.locator(".question").first.get_attribute(
        "id"
    )
    place = f"document.getElementById('{seen}').getBoundingClientRect().top"
    page.evaluate("scrollTo(0, 40)")
    before = page.evaluate(place)
    expect(page.locator(".turn")).to_have_count(40)
    assert abs(page.evaluate(place) - before) < 3
    page.evaluate("scrollTo(0, 40)")
    expect(page.locator(".turn")).to_have_count(60)
    expect(page.get_by_role("link", name="Earlier messages")).to_have_count(0)
    assert tab.complaints == []


def test_a_link_into_the_middle_loads_downwards_and_sending_leads_to_the_end(
    open_tab: OpenTab, assistant_with: Callable[..., Assistant], memory: MemoryManager
) -> None:
    said = [
        memory.write_conversational_memory(f"Message {number}. " + "words " * 60, "user", "t1")
        for number in range(60)
    ]
    assistant_with("Yes.")
    tab = open_tab(
        f"/threads/t1?at={said[8].id}#message-{said[8].id}", viewport={"width": 900, "height": 600}
    )
    page = tab.page
    expect(page.locator(f"#message-{said[8].id}")).to_be_in_viewport()
    expect(page.locator(f"#message-{said[59].id}")).to_have_count(0)
    tab.ask("And now?")
    expect(page.locator(".prose")).to_have_text(["Yes."])
    assert page.url.endswith("/threads/t1")
    expect(page.locator("#query")).to_have_value("")
    runner().wait_idle()
    assert tab.complaints == []


def test_a_thread_is_kept_as_a_file(open_tab: OpenTab, memory: MemoryManager) -> None:
    memory.write_conversational_memory("Who hunts?", "user", "t1")
    memory.rename_thread("t1", "Owls at night")
    page = open_tab("/threads/t1").page
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as got:
        page.get_by_role("link", name="JSON, to take in again").click()
    assert got.value.suggested_filename == "owls-at-night.json"
    assert json.loads(got.value.path().read_text())["title"] == "Owls at night"


def test_the_name_of_a_new_thread_comes_onto_the_page(
    open_tab: OpenTab, assistant_with: Callable[..., Assistant], memory: MemoryManager
) -> None:
    writer = ScriptedLLM(lambda asked: "Nightly hunters" if "Name this" in str(asked) else "[]", forever=True)
    assistant_with("Owls.", writer=writer)
    writer.gate = threading.Event()
    tab = open_tab()
    tab.ask("Who hunts at night?")
    expect(tab.page.locator(".prose")).to_have_text(["Owls."])
    expect(tab.page.locator("h1")).to_have_text("Who hunts at night?")
    writer.gate.set()
    expect(tab.page.locator("h1")).to_have_text("Nightly hunters")
    expect(tab.page.locator(".threads .thread-title")).to_have_text(["Nightly hunters"])
    assert tab.complaints == []


def test_what_was_said_is_found_as_it_is_typed_and_the_hit_is_shown_in_its_place(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    for number in range(60):
        text = "The NEEDLE is here. " if number == 7 else f"Message {number}. "
        memory.write_conversational_memory(text + "words " * 60, "user", "t1")
    tab = open_tab(viewport={"width": 900, "height": 600})
    page = tab.page
    page.get_by_role("searchbox").press_sequentially("needl")
    expect(page.locator(".hits mark")).to_have_text(["NEEDLE"])
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Search all conversations")
    page.go_back()
    page.goto("/search?q=needle")
    page.locator(".hits a").click()
    expect(page.locator(".question-text", has_text="NEEDLE")).to_be_in_viewport()
    assert page.evaluate("CSS.highlights.get('found').size") == 1
    assert tab.complaints == []
