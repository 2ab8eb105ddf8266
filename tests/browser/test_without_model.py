"""Without any language model, in Chromium: what needs none works, and where one would be used it is said."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager

from .conftest import Tab
from .test_files import DROP

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
NOTE = b"# Kestrel\n\nKestrel cuts resumption errors by 41 % (arXiv 2310.08560)."


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


def done(page: Page, number: int) -> None:
    """Waits until so many commands have ended."""
    expect(page.locator(".command-done")).to_have_count(number)


def test_documents_questions_search_summaries_and_their_originals_need_no_model(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    tab = open_tab()
    page = tab.page
    expect(page.locator(".no-model")).to_contain_text("No language model is set")
    expect(page.locator(".no-model code").first).to_be_visible()  # how to set one
    page.evaluate(DROP, [[["kestrel.md", base64.b64encode(NOTE).decode()]], "drop"])
    expect(page.locator(".command-done .card")).to_contain_text("Kestrel")

    page.goto("/")
    page.locator(".example").first.click()  # a question about the document
    prose = page.locator(".answer .prose")
    expect(prose).to_contain_text("Kestrel cuts resumption errors by 41 % (arXiv 2310.08560).")
    expect(prose).to_contain_text("No language model is set")
    runner().wait_idle()
    page.locator("details.used > summary").click()
    expect(page.locator(".used-body")).to_contain_text("skipped")
    expect(page.locator(".used-body")).to_contain_text("No language model is set")

    tab.ask("/summarize")
    done(page, 1)
    expect(page.locator(".command-done")).to_contain_text("put together from the messages’ own words")
    expect(page.locator(".command-done .rows")).to_contain_text("2310.08560")
    page.get_by_role("button", name="Open: ").click()
    done(page, 2)
    expect(page.locator(".command-done").last).to_contain_text("made from 2 messages")
    for number, (text, found) in enumerate(
        [
            ("/expand", "1 summary of this conversation"),
            ("/search resumption", "found"),
            ("/documents", "1 document, newest first."),
            ("/tools find papers", "search_arxiv"),
            ("/context", "this is what one would be given"),
            ("/help", "Commands need no language model"),
        ],
        3,
    ):
        tab.ask(text)
        done(page, number)
        expect(page.locator(".command-done").last).to_contain_text(found)
    expect(page.locator(".command-failed, .notice")).to_have_count(0)
    assert tab.elsewhere == []
    assert tab.complaints == []
