"""Commands in the composer as a person uses them, in Chromium."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import expect
from pytest_httpserver import HTTPServer

from researchassist.agent.assistant import Assistant
from researchassist.agent.commands import BY_NAME, TYPED
from researchassist.agent.commands.definition import CommandContext, CommandResult
from researchassist.agent.ingest import ingest_text
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager
from tests import outside

from .conftest import Tab, press_without_scripts

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Makes /search wait in its middle until it is let go."""
    go = threading.Event()

    def work(context: CommandContext, argument: str) -> CommandResult:
        context.tell(f"Halfway through {argument}")
        go.wait(20)
        return CommandResult(f"Found **{len(argument)}**.")

    monkeypatch.setitem(BY_NAME, "search", replace(BY_NAME["search"], run=work))
    return go


def test_it_completes_by_keyboard_and_says_so_to_screen_readers(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    tab = open_tab()
    page, box, listbox = tab.page, tab.page.locator("#query"), tab.page.locator("#command-list")
    expect(listbox).to_be_hidden()
    box.press_sequentially("/")
    expect(listbox).to_be_visible()
    expect(box).to_have_attribute("aria-haspopup", "listbox")
    expect(box).to_have_attribute("aria-autocomplete", "list")
    expect(box).to_have_attribute("aria-controls", "command-list")
    expect(page.locator("#announce")).to_contain_text("commands. Arrows choose, Tab completes.")
    expect(box).to_have_attribute("aria-activedescendant", "option-help")
    box.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "option-arxiv")
    expect(page.locator("#option-arxiv")).to_have_attribute("aria-selected", "true")
    box.press("ArrowUp")
    box.press("ArrowUp")
    expect(box).to_have_attribute("aria-activedescendant", f"option-{TYPED[-1].name}")
    box.press_sequentially("re")
    fitting = [command for command in TYPED if command.name.startswith("re")]
    expect(page.locator("#command-list [role=option]:visible")).to_have_count(len(fitting))
    box.press("Tab")
    expect(box).to_have_value("/restore-document ")
    expect(listbox).to_be_hidden()
    assert box.get_attribute("aria-activedescendant") is None
    assert box.get_attribute("aria-haspopup") is None
    box.fill("")
    box.press_sequentially("/h")
    box.press("Escape")
    expect(listbox).to_be_hidden()
    expect(box).to_have_value("/h")
    box.press_sequentially("e")
    box.press("Enter")
    expect(box).to_have_value("/help")
    box.press("Enter")
    expect(page.locator(".command-done .entry-title").first).to_have_text("/help")
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    assert memory.messages(memory.threads()[0].id) == []
    assert tab.complaints == []


def test_a_whole_command_without_arguments_is_sent_with_one_enter(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.page.locator("#query").press_sequentially("/documents")
    tab.page.press("#query", "Enter")
    expect(tab.page.locator(".command-done")).to_contain_text("No documents are in memory yet")


def test_a_command_is_chosen_with_the_mouse(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.page.locator("#query").press_sequentially("/")
    tab.page.locator("#option-arxiv").click()
    expect(tab.page.locator("#query")).to_have_value("/arxiv ")
    expect(tab.page.locator("#query")).to_be_focused()


def test_a_path_gets_no_list_and_a_near_miss_a_sentence(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.page.locator("#query").press_sequentially("/usr/")
    expect(tab.page.locator("#command-list")).to_be_hidden()
    tab.ask("/documnets")
    expect(tab.page.locator("#notice")).to_contain_text("Did you mean /documents")
    expect(tab.page.locator("#query")).to_have_value("/documnets")


def test_it_shows_what_runs_through_a_reload_and_in_a_second_tab(
    open_tab: OpenTab, slow: threading.Event
) -> None:
    one = open_tab()
    one.ask("/search owls")
    expect(one.page.locator(".status-text")).to_have_text("Halfway through owls")
    one.page.reload()
    expect(one.page.locator(".status-text")).to_have_text("Halfway through owls")
    two = open_tab(one.page.url)
    expect(two.page.locator(".status-text")).to_have_text("Halfway through owls")
    slow.set()
    for tab in (one, two):
        expect(tab.page.locator(".command-done strong")).to_have_text(["4"])
        expect(tab.page.locator(".status")).to_have_count(0)
        assert tab.complaints == []


def test_many_commands_at_once_need_one_connection(open_tab: OpenTab, slow: threading.Event) -> None:
    tab = open_tab()
    for number in range(9):
        tab.ask(f"/search {'x' * number}y")
        expect(tab.page.locator(".command")).to_have_count(number + 1)
    slow.set()
    expect(tab.page.locator(".command-done")).to_have_count(9)
    assert tab.complaints == []


def test_it_is_sent_once_however_often_it_is_pressed(open_tab: OpenTab, memory: MemoryManager) -> None:
    tab = open_tab()
    tab.page.fill("#query", "/help")
    tab.page.evaluate("for (let i = 0; i < 5; i++) document.getElementById('composer').requestSubmit()")
    expect(tab.page.locator(".command-done")).to_have_count(1)
    runner().wait_idle()
    assert len(memory.command_runs(memory.threads()[0].id)) == 1


def test_forgetting_is_undone_with_a_button(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    ingest_text(assistant_with(), "Kestrel cuts latency.", title="Kestrel")
    tab = open_tab()
    tab.ask("/documents")
    tab.page.get_by_role("button", name="Forget: Kestrel").click()
    undo = tab.page.get_by_role("button", name="Undo: Kestrel")
    expect(undo).to_be_visible()
    assert memory.documents() == []
    undo.dblclick()
    expect(tab.page.locator(".command").last).to_contain_text("It is back in memory.")
    assert [one.title for one in memory.documents()] == ["Kestrel"]
    assert tab.complaints == []


def test_a_paper_is_searched_for_and_saved_with_a_button(
    open_tab: OpenTab, assistant_with: MakeAssistant, httpserver: HTTPServer
) -> None:
    found = outside.feed(outside.entry("2310.08560v2", "MemGPT <b>", abstract="a " * 500))
    httpserver.expect_request("/api/query").respond_with_data(found.replace("<b>", "&lt;b&gt;"))
    httpserver.expect_request("/pdf/2310.08560v2").respond_with_data(
        outside.pdf("Virtual context.", "Paging.")
    )
    assistant_with(sources=outside.sources(httpserver))
    tab = open_tab()
    tab.ask("/arxiv virtual context")
    row = tab.page.locator(".rows li")
    expect(row).to_contain_text("MemGPT <b>")
    expect(row.get_by_role("link")).to_have_attribute("rel", "noopener noreferrer nofollow")
    row.locator("summary").click()
    tab.page.get_by_role("button", name="Save: MemGPT").click()
    expect(tab.page.locator(".card")).to_contain_text("2 pages · 2 passages")
    assert tab.elsewhere == []
    assert tab.complaints == []


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("https://arxiv.org/abs/2310.08560v2", True),
        ("2310.08560", True),
        ("arXiv:hep-th/9901001", True),
        ("doi:10.1234/owls.5678", True),
        ("What does 2310.08560 claim?", False),
        ("https://example.org/", False),
        ("2310", False),
    ],
)
def test_what_is_only_a_paper_can_be_saved_and_nothing_is_fetched_before(
    open_tab: OpenTab, assistant_with: MakeAssistant, httpserver: HTTPServer, text: str, offered: bool
) -> None:
    found = outside.feed(outside.entry("2310.08560v2", "MemGPT"))
    httpserver.expect_request("/api/query").respond_with_data(found)
    httpserver.expect_request("/pdf/2310.08560v2").respond_with_data(outside.pdf("Virtual context."))
    assistant_with(sources=outside.sources(httpserver))
    tab = open_tab()
    tab.page.fill("#query", f" {text} ")
    expect(tab.page.locator("#offer")).to_be_visible(visible=offered)
    tab.page.wait_for_timeout(100)
    assert httpserver.log == []
    if text == "2310.08560":
        tab.page.get_by_role("button", name="Save this paper").click()
        expect(tab.page.locator(".command-done")).to_contain_text("MemGPT")
        expect(tab.page.locator("#query")).to_have_value("")
        expect(tab.page.locator("#offer")).to_be_hidden()


def test_a_hit_leads_to_its_message(open_tab: OpenTab, memory: MemoryManager) -> None:
    memory.write_thread("other", title="Other thread")
    for number in range(30):
        memory.write_conversational_memory(f"NEEDLE {number} " * 40, "user", "other")
    tab = open_tab(viewport={"width": 900, "height": 500})
    tab.ask("/search needle 3")
    tab.page.locator(".rows a").first.click()
    number = tab.page.url.rpartition("#")[2]
    tab.wait_until(
        f"(() => {{ const r = document.getElementById('{number}').getBoundingClientRect(); "
        "return r.top >= -5 && r.top < innerHeight; })()"
    )


def test_it_fits_a_phone_and_works_without_scripts(open_tab: OpenTab, assistant_with: MakeAssistant) -> None:
    ingest_text(assistant_with(), "Kestrel", title="A title without an end " * 8)
    page = open_tab(viewport={"width": 380, "height": 700}, java_script_enabled=False).page
    page.fill("#query", "/documents")
    press_without_scripts(page, "Send")
    expect(page.locator(".rows li")).to_have_count(1)
    assert page.locator(".main").evaluate("e => e.scrollWidth <= e.clientWidth")
    press_without_scripts(page, "Forget")
    press_without_scripts(page, "Undo")
    expect(page.locator(".command").last).to_contain_text("It is back in memory.")
