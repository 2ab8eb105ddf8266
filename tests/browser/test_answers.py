"""Answers as a person sees them: rendered while they are written, copied, and never jumping."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from researchassist.agent.assistant import Assistant

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeHeld = Callable[..., HeldLLM]

TECHNICAL = r"""## Result

The ledger keeps **every event**, see https://example.org/ledger.

| method | error | cost |
|:--|--:|:-:|
| flat | 0.41 | $5 |
| tiered | 0.24 | $10 |

```python
def recall(events: list[str]) -> str:
    return events[-1]
```

The loss is $L(\theta) = \sum_i \ell_i$, and

$$
\nabla L = \frac{1}{n} \sum_{i=1}^{n} g_i
$$

- [x] measured
- [ ] repeated
  1. with another seed

> It costs \(O(n)\).
"""
BLOCKS = "h3, p, .table, .code-frame, .math-block, ul, blockquote"


def places(page: Page, within: str) -> list[list[Any]]:
    """What stands where within the page, as the reader sees it."""
    return page.evaluate(
        """([within, blocks]) => [...document.querySelectorAll(`${within} :is(${blocks})`)].map((e) => {
            const top = document.querySelector(within).getBoundingClientRect().top;
            const at = e.getBoundingClientRect();
            return [e.tagName, e.innerText, ...[at.top - top, at.height, at.width].map(Math.round)];
        })""",
        [within, BLOCKS],
    )


def test_an_answer_is_rendered_while_it_is_written_and_stays_in_its_place(
    open_tab: OpenTab, held: MakeHeld
) -> None:
    first, rest = TECHNICAL[: len(TECHNICAL) - 10], TECHNICAL[len(TECHNICAL) - 10 :]
    model = held(*[first[i : i + 3] for i in range(0, len(first), 3)], rest)
    model.let_go.set()
    tab = open_tab(viewport={"width": 900, "height": 600})
    page = tab.page
    # The closing event is seen, and the swap that follows it is held back.
    held_back: list[Route] = []

    def hold(route: Route) -> None:
        held_back.append(route)

    page.route("**/turns/*", hold)
    tab.ask("How does the ledger do?")
    expect(page.locator(".status-text")).to_have_text("Finishing…")
    live = page.locator(".live-text")
    expect(live.locator("blockquote math")).to_have_count(1)
    expect(live.locator(".math-block math")).to_have_count(1)
    expect(live.locator(".code-head")).to_have_text("pythonCopy")
    expect(live.locator("td.align-right")).to_have_text(["0.41", "0.24"])
    expect(live.locator("li.task")).to_have_text(["☑ measured", "☐ repeated\nwith another seed"])
    before = places(page, ".live-text")
    held_back[0].continue_()
    expect(page.locator(".prose")).to_be_visible()
    assert places(page, ".prose") == before
    page.reload()
    assert [place[:2] for place in places(page, ".prose")] == [place[:2] for place in before]
    assert tab.complaints == []


def test_a_reader_further_up_is_not_moved_when_the_answer_is_complete(
    open_tab: OpenTab, held: MakeHeld
) -> None:
    model = held(TECHNICAL * 3, "\n\nthe very end")
    tab = open_tab(viewport={"width": 900, "height": 500})
    page = tab.page
    tab.ask("Tell me all")
    expect(page.locator(".live-text h3")).to_have_count(3)
    page.locator(".live-text h3").nth(1).evaluate("e => e.scrollIntoView()")
    page.wait_for_timeout(100)
    place = page.locator(".live-text h3").nth(1).evaluate("e => Math.round(e.getBoundingClientRect().top)")
    model.let_go.set()
    expect(page.locator(".prose")).to_contain_text("the very end")
    assert (
        page.locator(".prose h3").nth(1).evaluate("e => Math.round(e.getBoundingClientRect().top)") == place
    )


def test_it_goes_on_where_it_was_after_the_tab_was_hidden(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("# One\n\nfirst **half**", " of it\n\n- item\n\n", "end")
    tab = open_tab()
    page = tab.page
    tab.ask("hi")
    expect(page.locator(".live-text strong")).to_have_text("half")
    show = (
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange')); }"
    )
    page.evaluate(show, True)
    page.evaluate(show, False)
    expect(page.locator(".live-text h3")).to_have_text(["One"])
    expect(page.locator(".live-text strong")).to_have_text(["half"])
    model.let_go.set()
    expect(page.locator(".prose li")).to_have_text(["item"])
    expect(page.locator(".prose h3")).to_have_text(["One"])


def test_code_and_answers_are_copied_as_they_were_written(
    open_tab: OpenTab, assistant_with: Callable[..., Assistant]
) -> None:
    assistant_with(TECHNICAL)
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    page = tab.page
    tab.ask("hi")
    expect(page.locator(".prose")).to_be_visible()
    page.locator(".prose .copy-code").click()
    expect(page.locator(".prose .copy-code")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == (
        "def recall(events: list[str]) -> str:\n    return events[-1]\n"
    )
    page.locator(".copy-answer").click()
    expect(page.locator(".copy-answer")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == TECHNICAL
    assert tab.complaints == []
