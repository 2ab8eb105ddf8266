"""What was remembered comes under the answer by itself, and goes with one click."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from researchassist.agent.assistant import Assistant
from researchassist.memory.manager import MemoryManager
from tests.agent.test_remember import SEAFOOD, writer_of

from .conftest import Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_quiet_line_comes_without_a_reload_and_undo_takes_it_back(
    open_tab: Callable[..., Tab], assistant_with: Callable[..., Assistant], memory: MemoryManager
) -> None:
    assistant_with("Good to know.", writer=writer_of([SEAFOOD]))
    tab = open_tab(viewport={"width": 380, "height": 700})
    tab.ask("I love seafood")
    line = tab.page.locator(".remembered")
    expect(line).to_contain_text("remembered: User loves seafood", timeout=20_000)
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    line.get_by_role("button", name="Undo").click()
    expect(line).to_have_text("Not remembered any more.")
    assert memory.facts() == []
    tab.page.reload()
    expect(tab.page.locator(".prose")).to_have_text("Good to know.")
    expect(tab.page.locator(".remembered")).to_have_count(0)
