"""The page for everybody: axe-core finds no violation in any of its states, and the keyboard reaches all."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.ingest import ingest_text
from researchassist.agent.runner import runner
from researchassist.agent.tools import default_tools, define, working
from researchassist.agent.tools.definition import ToolContext
from researchassist.errors import ModelError
from researchassist.memory.manager import MemoryManager
from tests.agent.test_remember import SEAFOOD, writer_of
from tests.scripted_llm import ScriptedLLM, calls

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]
MakeHeld = Callable[..., HeldLLM]

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 380, "height": 700}, "color_scheme": "dark"},
}
RICH = """# Heading

| a | b |
|---|--:|
| 1 | 2 |

- [x] done

```python
def owl():  # a comment
    return "hoot", 12
```

> quoted $x^2$ and [a link](https://example.org/)
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


@pytest.fixture
def go() -> Iterator[threading.Event]:
    """Lets the tool `count` go on."""
    event = threading.Event()
    yield event
    event.set()


def counting(go: threading.Event) -> Any:
    """A tool that tells how far it is and waits."""

    @working("Counting {kind}")
    def count(context: ToolContext, kind: str) -> str:
        """Count birds of one kind, one by one, however long it takes."""
        context.tell("12 so far")
        go.wait(20)
        return "40"

    return define(count)


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong, in short."""
    page.evaluate(AXE)
    found = page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map("
        "(v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 200)} ${n.failureSummary}`).join(' | ')}`))"
    )
    return list(found)


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_no_violation_in_any_state(
    open_tab: OpenTab,
    assistant_with: MakeAssistant,
    memory: MemoryManager,
    go: threading.Event,
    look: str,
) -> None:
    states: dict[str, list[str]] = {}
    tab = open_tab("/", reduced_motion="reduce", **LOOKS[look])
    page = tab.page

    def check(state: str) -> None:
        page.mouse.move(0, 0)
        states[state] = violations(page)

    check("first start, no model, no documents")
    page.locator(".no-model summary").click()
    check("how to set a model")

    wanted = ("count", '{"kind": "owls"}'), ("expand_summary", '{"summary_id": "nope"}')
    replies = (
        calls(*wanted, text="Let me see."),
        RICH,
        ModelError("The model server is away."),
    )
    writer = ScriptedLLM("[]", forever=True)
    assistant = assistant_with(*replies, writer=writer, tools=[*default_tools(), counting(go)])
    ingest_text(assistant, "Owls sleep by day. " * 200, title="Owls")
    passage = memory.read_knowledge_base("Owls sleep by day, how many?").records[0]
    assistant.model.replies[1] = f"{RICH}\nOwls sleep by day [p{passage.id}].\n"  # type: ignore[attr-defined]
    page.goto("/")
    check("greeting with examples")
    page.locator("#query").press_sequentially("/")
    check("commands open")
    tab.ask("Owls sleep by day, how many?")
    expect(page.locator(".step-progress")).to_have_text("12 so far")
    check("a running turn")
    go.set()
    expect(page.locator(".prose")).to_contain_text("Heading")
    runner().wait_idle()
    page.locator("details.used > summary").click()
    expect(page.locator(".used-body")).to_contain_text("Model:")
    page.locator(".calls summary").first.click()
    expect(page.locator(".log")).to_contain_text("Result")
    page.locator(".used-body .plain-list details summary").first.click()
    check("an answer with its fold-out")
    page.locator(".prose a.mark-number").click()
    expect(page.locator("#source mark").first).to_be_visible()
    check("a source open")
    page.keyboard.press("Escape")
    tab.ask("And larks?")
    expect(page.locator(".turn .notice")).to_contain_text("The model server is away.")
    tab.ask("/documents")
    expect(page.locator(".command-done")).to_have_count(1)
    tab.ask("/halp")
    expect(page.locator("#notice")).to_contain_text("Did you mean")
    check("a failed turn, a command, a refusal")
    page.evaluate("document.getElementById('drop-zone').hidden = false")
    check("files over the page")
    page.evaluate("document.getElementById('drop-zone').hidden = true")
    page.get_by_role("link", name="Rename").click()
    expect(page.locator("#title")).to_be_focused()
    check("renaming")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_text("Export", exact=True).click()
    check("exporting")
    page.get_by_role("link", name="Edit").first.click()
    expect(page.get_by_label("Your question")).to_be_focused()
    check("editing a question")
    thread = page.url
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    check("a deleted conversation")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Rename")).to_be_visible()
    for address in ("/nowhere", thread + "/rename"):
        page.goto(address)
        check(address.rpartition("/")[2])
    wrong = [f"{state}: {one}" for state, found in states.items() for one in found]
    assert wrong == [], "\n\n".join(wrong)
    assert len(states) >= 12


def test_axe_finds_no_violation_in_what_is_remembered_and_in_versions(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    fact = {**SEAFOOD, "fact": "User loves seafood, and " + "x" * 100}
    assistant_with("Good to know.", "Good to know, again.", writer=writer_of([fact]))
    memory.write_profile("Works on owls. " * 20, folded=[], before=None)
    tab = open_tab(**LOOKS["phone"])
    page = tab.page
    tab.ask("I love seafood")
    expect(page.locator(".remembered")).to_contain_text("remembered: User loves seafood", timeout=20_000)
    [known] = memory.facts()
    cards = (
        "/core Short answers.",
        "/memory",
        "/profile",
        f"/why {known.id}",
        f"/forget {known.id}",
        "/undo",
    )
    for number, command in enumerate(cards, 1):
        tab.ask(command)
        expect(page.locator(".command-done")).to_have_count(number)
    page.get_by_role("link", name="Edit").first.click()
    page.get_by_label("Your question").fill("I love seafood, do you?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".versions")).to_contain_text("2 of 2")
    page.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".command-done")).to_have_count(len(cards))
    found = violations(page)
    page.emulate_media(color_scheme="light")
    assert [*found, *violations(page)] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    menu = page.locator("details.menu[open]")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.locator("h1").click()):
        page.get_by_text("Export", exact=True).click()
        expect(menu).to_have_count(1)
        close()
        expect(menu).to_have_count(0)
    page.get_by_role("link", name="Rename").click()
    expect(page.locator("#title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Rename")).to_be_focused()


def on(page: Page) -> str:
    """What the keyboard is on, by its words."""
    found = page.evaluate(
        """() => {
          const one = document.activeElement;
          return one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent;
        }"""
    )
    return " ".join(str(found).split())


def tab_to(page: Page, words: str, key: str = "Tab") -> None:
    """Presses Tab until what has these words is reached."""
    for _ in range(60):
        page.keyboard.press(key)
        if on(page).startswith(words):
            return
    raise AssertionError(f"never reached: {words}")


def test_the_keyboard_alone_asks_looks_stops_renames_and_undoes(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager, go: threading.Event
) -> None:
    wanted = calls(("count", '{"kind": "owls"}'))
    assistant = assistant_with("Yes.", wanted, "Forty.", tools=[*default_tools(), counting(go)])
    ingest_text(assistant, "Owls sleep by day.", title="Owls")
    tab = open_tab()
    page = tab.page
    assert on(page) == "Message"  # one can write at once
    tab_to(page, "Skip to the message field", "Shift+Tab")
    page.keyboard.press("Enter")
    assert on(page) == "Message"
    tab_to(page, "What does “Owls” claim", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".prose")).to_have_text("Yes.")
    expect(page.locator("#query")).to_be_focused()  # the example is gone
    runner().wait_idle()
    tab_to(page, "What this used", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".used-body")).to_contain_text("Model:")
    tab_to(page, "Message")
    page.keyboard.type("How many?")
    page.keyboard.press("Enter")
    expect(page.locator(".step-running")).to_be_visible()
    tab_to(page, "Stop")
    page.keyboard.press("Enter")
    expect(page.locator(".turn .notice")).to_contain_text("Stopped")
    expect(page.locator("#query")).to_be_focused()
    tab_to(page, "Rename", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Owls at night")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Owls at night")
    expect(page.get_by_role("link", name="Rename")).to_be_focused()
    tab_to(page, "Message")
    page.keyboard.type("/doc")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".command-done")).to_contain_text("1 document")
    tab_to(page, "Forget: Owls", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".command-done")).to_have_count(2)
    tab_to(page, "Undo: Owls")
    page.keyboard.press("Enter")
    expect(page.locator(".command-done").last).to_contain_text("It is back in memory.")
    assert tab.complaints == []


def test_nothing_moves_where_motion_is_not_wanted(open_tab: OpenTab, held: MakeHeld) -> None:
    held("Half ", "whole")
    moving = """() => [...document.querySelectorAll("*")].filter((one) => {
      const { animationName, animationDuration, transitionDuration } = getComputedStyle(one);
      return (animationName !== "none" && animationDuration !== "0s") || transitionDuration !== "0s";
    }).map((one) => one.className)"""
    with_motion, without = open_tab(), open_tab(reduced_motion="reduce")
    for tab in (with_motion, without):
        tab.ask("hi")
        expect(tab.page.locator(".live-text")).to_have_text("Half ")
    assert "pulse" in with_motion.page.evaluate(moving)
    assert without.page.evaluate(moving) == []


def test_every_state_fits_a_phone(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager, go: threading.Event
) -> None:
    long = "x" * 200
    wanted = calls(("count", f'{{"kind": "{long}"}}'), (long, "{}"), text=long)
    assistant = assistant_with(wanted, f"{long}\n\n|{long}|\n|-|\n\n{RICH}", tools=[counting(go)])
    ingest_text(assistant, long, title=long)
    tab = open_tab(viewport={"width": 380, "height": 700})
    page = tab.page

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    assert fits()
    page.locator("#query").press_sequentially("/")
    assert fits()
    tab.ask(long)
    expect(page.locator(".step-running")).to_be_visible()
    assert fits()
    go.set()
    expect(page.locator(".prose").last).to_be_visible()
    runner().wait_idle()
    page.locator("details.used > summary").click()
    expect(page.locator(".used-body")).to_contain_text("Model:")
    assert fits()
    tab.ask("/documents")
    expect(page.locator(".command-done")).to_have_count(1)
    tab.ask("/halp")
    expect(page.locator("#notice")).to_contain_text("Did you mean")
    page.evaluate("document.getElementById('drop-zone').hidden = false")
    assert fits()
    page.get_by_role("link", name="Rename").click()
    expect(page.locator("#title")).to_be_visible()
    assert fits()
