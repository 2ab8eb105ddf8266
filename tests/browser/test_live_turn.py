"""A turn while it runs, in Chromium: each step in words, and through reload, second tab and lost network
the turn is shown once and run once."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.agent.tools import default_tools, define, working
from researchassist.agent.tools.definition import ToolContext
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM, calls

from .conftest import Cable, HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]
MakeHeld = Callable[..., HeldLLM]


class Counter:
    """A tool that tells how far it is and waits until it is let go; `runs` counts its calls."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.runs = 0

    def tool(self) -> Any:
        @working("Counting {kind}")
        def count(context: ToolContext, kind: str) -> str:
            """Count birds of one kind, one by one, however long it takes."""
            self.runs += 1
            context.tell(f"12 {kind} so far")
            self.go.wait(20)
            return "40"

        return define(count)


@pytest.fixture
def counter() -> Iterator[Counter]:
    made = Counter()
    yield made
    made.go.set()


@pytest.fixture
def counting(assistant_with: MakeAssistant, counter: Counter) -> Callable[..., ScriptedLLM]:
    """Makes the model one that counts owls, looks for a summary that is not there, and answers."""

    def make(*more: object) -> ScriptedLLM:
        wanted = ("count", '{"kind": "owls"}'), ("expand_summary", '{"summary_id": "nope"}')
        replies = [calls(*wanted, text="Let me count."), "Forty owls.", *more]
        model = assistant_with(*replies, tools=[*default_tools(), counter.tool()]).model  # type: ignore[arg-type]
        assert isinstance(model, ScriptedLLM)
        return model

    return make


def is_counting(page: Page) -> None:
    """The page shows the tool that runs, once."""
    expect(page.locator(".step-running .step-doing")).to_have_text(["Counting owls"])
    expect(page.locator(".step-running .step-name")).to_have_text("count")
    expect(page.locator(".step-progress")).to_have_text("12 owls so far")
    expect(page.locator(".step-text")).to_have_text(["Let me count."])


def is_complete(page: Page) -> None:
    """The page shows the whole turn, once."""
    expect(page.locator(".prose")).to_have_text(["Forty owls."])
    expect(page.locator(".step-doing")).to_have_text(["Counting owls", "Opening summary nope"])
    expect(page.locator(".step-done .state")).to_contain_text(["done ·"])
    expect(page.locator(".step-failed .state")).to_contain_text(["failed ·"])
    expect(page.locator(".step-text")).to_have_text(["Let me count."])
    expect(page.locator(".step-running, .status")).to_have_count(0)


def test_steps_are_told_as_they_run_through_a_reload_and_in_a_second_tab(
    open_tab: OpenTab, counting: Callable[..., ScriptedLLM], counter: Counter, memory: MemoryManager
) -> None:
    model = counting()
    tab = open_tab()
    page = tab.page
    tab.ask("How many owls?")
    is_counting(page)
    expect(page.locator(".state")).to_have_text("running…")
    expect(page.locator("#announce")).to_have_text("Counting owls")
    page.reload()
    is_counting(page)
    second = open_tab(page.url)
    is_counting(second.page)
    tab.wait_until("document.querySelector('.state').textContent.startsWith('running… ')")  # for how long
    counter.go.set()
    for each in (page, second.page):
        is_complete(each)
    expect(page.locator("#announce")).to_have_text("The answer is complete.")
    page.reload()
    is_complete(page)
    assert (counter.runs, len(model.requests), len(memory.messages(memory.threads()[0].id))) == (1, 2, 2)
    assert tab.complaints + second.complaints == []


def test_a_lost_network_is_said_and_the_turn_goes_on_where_it_was(
    open_tab: OpenTab, held: MakeHeld, cable: Cable, memory: MemoryManager
) -> None:
    model = held("Half ", "and ", "whole")
    tab = open_tab(base_url=cable.url)
    page = tab.page
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if "/events" in request.url else None)
    tab.ask("hi")
    # The space for the next word is there, also once the server has rendered the first.
    tab.wait_until("document.querySelector('.live-text p')?.textContent === 'Half '")
    cable.pull()
    expect(page.locator("#connection")).to_contain_text("cannot be reached")
    expect(page.locator(".status-text")).to_contain_text("connection was lost")
    expect(page.locator(".live-text")).to_have_text("Half ")
    tab.ask("written meanwhile")
    expect(page.locator("#notice")).to_contain_text("Your text is still here")
    cable.put_in()
    expect(page.locator("#connection")).to_have_text("Connected again.")
    expect(page.locator("#notice")).to_have_text(
        "The server is back. Your text was not sent yet; send it again."
    )
    tab.wait_until("document.querySelector('#connection').textContent === ''")
    model.let_go.set()
    expect(page.locator(".prose")).to_have_text(["Half and whole"])
    expect(page.locator("#query")).to_have_value("written meanwhile")
    assert int(asked[-1].all_headers()["last-event-id"]) > 0  # what was told is not told again
    assert len(memory.messages(memory.threads()[0].id)) == 2


def test_the_finished_answer_is_asked_for_until_it_comes(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("Half ", "whole")
    tab = open_tab()
    page = tab.page
    tab.ask("hi")
    expect(page.locator(".live-text")).to_have_text("Half ")
    page.route("**/turns/*", lambda route: route.abort())
    model.let_go.set()
    expect(page.locator(".status-text")).to_have_text("Finishing…")
    page.wait_for_timeout(300)
    page.unroute("**/turns/*")
    expect(page.locator(".prose")).to_have_text(["Half whole"])
    expect(page.locator("#send")).to_be_visible()


def test_stop_ends_a_tool_that_runs_and_says_so(
    open_tab: OpenTab, counting: Callable[..., ScriptedLLM], counter: Counter
) -> None:
    counting()
    tab = open_tab()
    tab.ask("How many owls?")
    is_counting(tab.page)
    tab.page.locator("#stop").focus()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator(".turn .notice")).to_contain_text("Stopped before anything was written.")
    expect(tab.page.locator(".step-failed")).to_contain_text(["Counting owls"])
    expect(tab.page.locator("#query")).to_be_focused()  # the button it stood on is gone
    tab.page.get_by_role("button", name="Retry").click()
    expect(tab.page.locator(".prose")).to_have_text(["Forty owls."])
    assert counter.runs == 1


def test_a_conversation_deleted_in_another_tab_ends_quietly_and_keeps_what_was_typed(
    open_tab: OpenTab, counting: Callable[..., ScriptedLLM], memory: MemoryManager
) -> None:
    counting()
    tab = open_tab()
    page = tab.page
    tab.ask("How many owls?")
    is_counting(page)
    page.fill("#query", "half a thought")
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Delete", exact=True).click()
    expect(other.locator("#greeting")).to_be_visible()
    expect(page.locator("#notice")).to_contain_text("deleted")
    expect(page.locator("#query")).to_have_value("half a thought")
    page.press("#query", "Enter")
    expect(page.locator("#notice")).to_contain_text("deleted")
    expect(page.locator("#query")).to_have_value("half a thought")
    expect(page.locator("#send")).to_be_visible()  # nothing is left to stop
    runner().wait_idle()
    assert memory.threads() == []
    assert memory.running_turns() == []
    page.get_by_role("button", name="Send it in a new conversation").click()
    expect(page.locator(".question-text")).to_have_text(["half a thought"])
    expect(page.locator(".prose")).to_have_text(["Forty owls."])
    expect(page.locator("#query")).to_have_value("")
    [thread] = memory.threads()
    assert page.url.endswith(thread.id)
    assert tab.complaints == []


def test_a_conversation_deleted_in_another_tab_takes_no_command_and_no_file(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    memory.write_thread("t1", title="One")
    tab = open_tab("/threads/t1")
    memory.delete_thread("t1")
    tab.ask("/help")
    expect(tab.page.locator("#notice")).to_contain_text("deleted")
    expect(tab.page.locator("#query")).to_have_value("/help")
    note = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"Owls sleep."}
    tab.page.set_input_files("#files", [note])  # type: ignore[list-item]
    expect(tab.page.locator(".command-failed")).to_contain_text("deleted")
    assert memory.threads() == []
    assert memory.documents() == []
