"""Back, forward, bookmarks and new tabs: always a whole page, and one that works."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from pytest_httpserver import HTTPServer

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]
MakeHeld = Callable[..., HeldLLM]


def test_back_forward_bookmarks_and_new_tabs_give_whole_pages_that_work(
    open_tab: OpenTab, held: MakeHeld, memory: MemoryManager, httpserver: HTTPServer
) -> None:
    """B39: also into a conversation that was streaming when it was left."""
    httpserver.expect_request("/elsewhere").respond_with_data("<h1>Elsewhere</h1>", content_type="text/html")
    model = held("Half ", "whole")
    for name in ("t1", "t2"):
        memory.write_thread(name, title=name)
        memory.write_conversational_memory(f"Said in {name}", "user", name)
    tab = open_tab("/threads/t1")
    page = tab.page
    page.goto("/")
    tab.ask("hello")
    expect(page.locator(".live-text")).to_have_text("Half ")
    streaming = page.url
    page.locator(".threads a", has_text="t2").click()
    expect(page.locator(".question-text")).to_have_text("Said in t2")
    page.goto(httpserver.url_for("/elsewhere"))
    page.go_back()
    expect(page.locator(".question-text")).to_have_text("Said in t2")
    expect(page.locator(".side")).to_have_count(1)
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.go_back()
    expect(page.locator(".live-text")).to_have_text("Half ")
    page.go_forward()
    model.let_go.set()
    runner().wait_idle()
    page.go_back()
    expect(page.locator(".prose")).to_have_text(["Half whole"])
    expect(page.locator(".status")).to_have_count(0)
    page.go_back()
    expect(page.locator("#greeting")).to_be_visible()
    page.go_back()
    expect(page.locator(".question-text")).to_have_text("Said in t1")
    page.goto(streaming)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    tab.ask("again")
    expect(page.locator(".prose")).to_have_count(2)
    assert len(sent) == 1  # no handler stands twice
    new = page.context.new_page()
    new.goto(streaming)
    expect(new.locator(".prose")).to_have_count(2)
    expect(new.locator(".side")).to_have_count(1)
    assert tab.complaints == []


def test_it_goes_back_and_forward_through_whole_pages(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    assistant_with("Yes.")
    tab = open_tab()
    page = tab.page
    tab.ask("hi")
    expect(page.locator(".prose")).to_have_text("Yes.")
    page.go_back()
    expect(page.locator("#greeting")).to_be_visible()
    expect(page.locator(".threads .thread-title")).to_have_text(["hi"])
    page.go_forward()
    expect(page.locator(".prose")).to_have_text("Yes.")
    expect(page.locator(".side")).to_have_count(1)
