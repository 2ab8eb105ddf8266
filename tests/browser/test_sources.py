"""Where an answer comes from, as a person sees and opens it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.ingest import ingest_bytes
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]

NOTES = """# Kestrel notes

Tiered ledgers cut resumption errors by 41 % on synthetic tasks. The weather was fine that day.

What the notes leave open is how ledgers behave when two agents write at once.
"""


def stored(assistant: Assistant) -> str:
    """The notes in memory, and the mark of their passage."""
    ingest_bytes(assistant, "kestrel.md", NOTES.encode())
    (passage,) = assistant.memory.read_knowledge_base("ledgers", k=9).records
    return f"[p{passage.id}]"


def test_a_mark_opens_its_passage_at_the_lines_it_rests_on(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    mark = stored(assistant := assistant_with("unused"))
    assistant.model.replies = [  # type: ignore[attr-defined]
        f"They cut resumption errors by 41 % on synthetic tasks {mark}.\n\n"
        f"How two agents write at once is open {mark}, and a mark of nothing is text [p999999]."
    ]
    tab = open_tab(viewport={"width": 1300, "height": 700})
    page = tab.page
    tab.ask("What do tiered ledgers do to resumption errors?")
    prose = page.locator(".prose")
    expect(prose.locator("a.mark-number")).to_have_text(["1", "1"])
    expect(prose).to_contain_text("[p999999]")
    expect(page.locator(".sources li")).to_have_text(["1 Source 1:Kestrel notes"])
    source = page.locator("#source")
    expect(source).to_be_hidden()
    prose.locator("a.mark-number").first.click()
    expect(source.locator("mark")).to_have_text(["cut resumption errors by 41 % on synthetic tasks"])
    expect(source.locator("h2")).to_be_focused()
    prose.locator("a.mark-number").nth(1).click()
    expect(source.locator("mark")).to_have_text(
        ["What the notes leave open is how ledgers behave when two agents write at once."]
    )
    expect(source).to_contain_text("kestrel.md")
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    expect(prose.locator("a.mark-number").nth(1)).to_be_focused()
    assert tab.complaints == []


def test_an_answer_without_marks_lists_what_was_given_and_calls_it_no_source(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    stored(assistant_with("They cut resumption errors."))
    tab = open_tab()
    page = tab.page
    tab.ask("What do tiered ledgers do to resumption errors?")
    expect(page.locator(".given summary")).to_have_text("1 passage given none is cited")
    expect(page.locator(".sources")).to_have_count(0)
    page.locator(".given summary").click()
    page.locator(".given a").click()
    expect(page.locator("#source .passage")).to_contain_text("Tiered ledgers")
    expect(page.locator("#source mark")).to_have_count(0)


def test_the_page_says_that_there_is_no_source_whatever_the_model_wrote(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    mark = stored(assistant := assistant_with("unused"))
    assistant.model.replies = [f"It was Brazil {mark}."]  # type: ignore[attr-defined]
    tab = open_tab()
    tab.ask("Who won the cup?")
    expect(tab.page.locator(".no-source")).to_contain_text("No source in memory")
    expect(tab.page.locator(".prose")).to_have_text(f"It was Brazil {mark}.")
    expect(tab.page.locator("a.mark-number")).to_have_count(0)


def test_marks_are_shown_while_the_answer_is_written(
    open_tab: OpenTab, held: Callable[..., HeldLLM], memory: MemoryManager
) -> None:
    held("unused")
    from researchassist.agent.assistant import configured

    mark = stored(configured())
    model = held(f"They cut resumption errors {mark} by 41 % {mark[:3]}", f"{mark[3:]}.")
    tab = open_tab()
    tab.ask("What do tiered ledgers do to resumption errors?")
    expect(tab.page.locator(".live-text .mark-number")).to_have_text(["1"])
    expect(tab.page.locator(".live-text a")).to_have_count(0)
    model.let_go.set()
    expect(tab.page.locator(".prose a.mark-number")).to_have_text(["1", "1"])


def test_a_deleted_document_is_told_and_what_was_given_still_opens(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    mark = stored(assistant := assistant_with("unused"))
    assistant.model.replies = [f"They cut resumption errors by 41 % {mark}."]  # type: ignore[attr-defined]
    tab = open_tab()
    tab.ask("What do tiered ledgers do to resumption errors?")
    expect(tab.page.locator(".sources")).to_be_visible()
    runner().wait_idle()
    memory.delete_document(memory.documents()[0].id)
    tab.page.reload()
    expect(tab.page.locator(".sources .mark")).to_have_text("source deleted")
    tab.page.locator(".prose a.mark-number").click()
    expect(tab.page.locator("#source")).to_contain_text("The document was deleted from memory since")
    expect(tab.page.locator("#source mark")).to_contain_text("41 %")


def test_a_source_is_a_page_of_its_own_without_scripts(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    mark = stored(assistant := assistant_with("unused"))
    assistant.model.replies = [f"They cut resumption errors by 41 % {mark}."]  # type: ignore[attr-defined]
    page = open_tab(java_script_enabled=False).page
    page.fill("#query", "What do tiered ledgers do to resumption errors?")
    page.get_by_role("button", name="Send").click()
    runner().wait_idle()
    page.reload()
    page.locator(".prose a.mark-number").click()
    expect(page.locator("mark")).to_contain_text("41 %")
    page.get_by_role("link", name="Back to the conversation").click()
    expect(page.locator(".prose")).to_be_visible()
