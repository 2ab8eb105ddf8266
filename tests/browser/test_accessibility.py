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
    page.goto("/")
    check("greeting with examples")
    page.locator("#query").press_sequentially("/")
    check("commands open")
    tab.ask("How many owls?")
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
    page.get_by_role("link", name="Delete").click()
    check("deleting")
    for address in ("/nowhere", page.url + "/rename", page.url + "/delete"):
        page.goto(address)
        check(address.rpartition("/")[2])
    wrong = [f"{state}: {one}" for state, found in states.items() for one in found]
    assert wrong == [], "\n\n".join(wrong)
    assert len(states) >= 12
