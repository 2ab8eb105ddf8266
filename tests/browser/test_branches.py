"""Asking again and going between versions, in Chromium."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager

from .conftest import HeldLLM, Tab, press_without_scripts

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]


def converse(tab: Tab, *questions: str) -> None:
    """Asks, and waits for each answer."""
    for number, question in enumerate(questions, 1):
        tab.ask(question)
        expect(tab.page.locator(".prose")).to_have_count(number)
    runner().wait_idle()


def test_an_edited_question_makes_a_version_and_the_earlier_one_is_a_step_away(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Owls.", "Herons.", "Bats.", "Storks.")
    tab = open_tab()
    page = tab.page
    converse(tab, "Who hunts at night?", "And by day?")
    page.get_by_role("link", name="Edit").first.click()
    field = page.get_by_label("Your question")
    expect(field).to_have_value("Who hunts at night?")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(page.locator(".question-text")).to_have_text(["Who hunts at night?", "And by day?"])

    page.get_by_role("link", name="Edit").first.click()
    field.fill("Which mammal hunts at night?")
    field.press("Enter")
    expect(page.locator(".prose")).to_have_text(["Bats."])
    expect(page.locator(".question-text")).to_have_text(["Which mammal hunts at night?"])
    expect(page.locator(".versions")).to_contain_text("2 of 2")
    runner().wait_idle()

    page.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".prose")).to_have_text(["Owls.", "Herons."])
    expect(page.locator(".versions")).to_contain_text("1 of 2")
    expect(page.get_by_role("button", name="Later version")).to_be_focused()
    converse_on = tab.page.url
    tab.ask("And at dusk?")
    expect(page.locator(".prose")).to_have_text(["Owls.", "Herons.", "Storks."])
    assert page.url == converse_on
    page.reload()
    expect(page.locator(".prose")).to_have_text(["Owls.", "Herons.", "Storks."])
    assert tab.complaints == []


def test_an_answer_is_asked_for_again_and_a_stopped_one_too(
    open_tab: OpenTab, held: Callable[..., HeldLLM], assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    held("Half an ans", "wer")
    tab = open_tab()
    page = tab.page
    tab.ask("Who hunts?")
    expect(page.locator(".live-text")).to_have_text("Half an ans")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".note")).to_have_text("You stopped this answer.")
    runner().wait_idle()
    assistant_with("Owls.", "Owls, mostly.")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".prose")).to_have_text(["Owls."])
    runner().wait_idle()
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".prose")).to_have_text(["Owls, mostly."])
    expect(page.locator(".versions")).to_contain_text("3 of 3")
    runner().wait_idle()
    page.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".prose")).to_have_text(["Owls."])
    page.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".prose")).to_have_text(["Half an ans"])
    assert tab.complaints == []


def test_a_tab_on_another_version_is_told_and_keeps_its_text(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Owls.", "Bats.")
    tab = open_tab()
    converse(tab, "Who hunts?")
    other = open_tab(tab.page.url)
    other.page.get_by_role("button", name="Ask again").click()
    expect(other.page.locator(".prose")).to_have_text(["Bats."])
    runner().wait_idle()

    tab.ask("And by day?")
    expect(tab.page.locator("#notice")).to_contain_text("Another version of this conversation")
    expect(tab.page.locator("#query")).to_have_value("And by day?")
    tab.page.get_by_role("button", name="Ask again").click()
    expect(tab.page.locator("#notice")).to_contain_text("Another version of this conversation")
    assert [m.content for m in memory.messages(memory.threads()[0].id)] == ["Who hunts?", "Bats."]


def test_versions_work_without_scripts(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Owls.", "Bats.")
    page = open_tab(java_script_enabled=False).page
    page.fill("#query", "Who hunts?")
    press_without_scripts(page, "Send")
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit this question and ask it again")
    page.get_by_label("Your question").fill("/help")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("alert").first).to_contain_text("A command starts no answer")
    page.get_by_label("Your question").fill("Which mammal hunts?")
    press_without_scripts(page, "Ask")
    expect(page.locator(".prose")).to_have_text(["Bats."])
    page.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".prose")).to_have_text(["Owls."])
