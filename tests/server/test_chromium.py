"""The main job in a real browser against a real server process."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from researchassist.llm.types import Reply
from tests.fake_model_server import FakeModelServer
from tests.scripted_llm import calls

from .conftest import Server, models

pytestmark = pytest.mark.browser
QUESTION = "What does the Kestrel paper claim?"
SECONDS = 1000


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(60 * SECONDS)
    yield page
    context.close()


def _ask(page: Page, question: str) -> None:
    page.get_by_role("textbox").fill(question)
    page.keyboard.press("Enter")


def test_a_newcomer_asks_and_gets_the_claim_with_its_source_and_it_outlives_kill_9(
    serve: Callable[..., Server], model_server: FakeModelServer, page: Page
) -> None:
    server = serve()
    page.goto(server.url)
    _ask(page, QUESTION)
    expect(page.locator(".prose").last).to_contain_text("41%", timeout=60 * SECONDS)
    expect(page.locator(".prose").last).to_contain_text("kestrel-notes.md")
    thread = page.url.removeprefix(server.url)
    assert re.fullmatch(r"/threads/[0-9a-f]+", thread)
    answer = page.locator(".prose").last.inner_text()

    server.kill()
    model_server.loop += [Reply("Marlow and Iversen wrote it.")]
    again = serve(**models(model_server))
    page.goto(again.url + thread)

    expect(page.locator(".question-text")).to_have_text(QUESTION)
    assert page.locator(".prose").last.inner_text() == answer
    _ask(page, "And who wrote it?")
    expect(page.locator(".prose").last).to_have_text("Marlow and Iversen wrote it.", timeout=60 * SECONDS)
    content = model_server.requests[0]["messages"][1]["content"]
    assert f"] user: {QUESTION}\n" in content
    assert (
        "cut resumption errors by 41% on synthetic long-horizon tasks."
        in content.split("## Knowledge Base")[0]
    )


def test_a_turn_with_two_tool_calls_streams_in_and_is_logged(
    serve: Callable[..., Server], model_server: FakeModelServer, page: Page
) -> None:
    entity = '{"name": "Kestrel", "type": "SYSTEM", "description": "a paper"}'
    model_server.loop += [
        calls(("get_current_time", "{}"), ("remember_entity", entity)),
        Reply("Noted; it is noon in the valley, and the second half follows."),
    ]
    server = serve(**models(model_server))
    page.goto(server.url)
    model_server.hold.clear()
    _ask(page, "Remember Kestrel, and what time is it?")
    model_server.hold.set()
    expect(page.locator(".prose").last).to_contain_text("the second half follows", timeout=60 * SECONDS)

    page.locator("summary", has_text="What this used").last.click()
    used = page.locator(".used-body").last
    expect(used).to_contain_text("get_current_time")
    expect(used).to_contain_text("remember_entity")
    used.get_by_text("remember_entity").first.click()
    expect(used).to_contain_text("Remembered Kestrel")
