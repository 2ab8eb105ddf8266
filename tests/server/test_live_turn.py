"""A turn in Chromium while the server process is killed and started again at its address."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from researchassist.llm.types import Reply
from tests.fake_model_server import FakeModelServer, Raw, chunk
from tests.scripted_llm import calls

from .conftest import Server, models

pytestmark = pytest.mark.browser
LONG = 60_000  # ms: the embedding model is loaded in between
# Words that come for as long as the test needs to kill the server among them.
SLOW = Raw([chunk({"role": "assistant", "content": "word "})] * 200, pause=0.3)


def test_a_turn_cut_off_by_kill_9_is_shown_once_as_interrupted_and_runs_again_only_when_asked(
    serve: Callable[..., Server], model_server: FakeModelServer, chromium: Browser
) -> None:
    model_server.loop += [calls(("get_current_time", "{}")), SLOW, Reply("Whole.")]
    server = serve(**models(model_server))
    context = chromium.new_context()
    page = context.new_page()
    page.goto(server.url)
    page.fill("#query", "What time is it?")
    page.press("#query", "Enter")
    expect(page.locator(".live-text")).to_contain_text("word " * 9, timeout=LONG)  # kept each second
    expect(page.locator(".step-done")).to_contain_text("Looking at the clock")
    server.kill()

    expect(page.locator("#connection")).to_contain_text("cannot be reached")
    page.fill("#query", "typed meanwhile")
    again = serve(port=int(server.url.rpartition(":")[2]), **models(model_server))
    assert again.url == server.url

    expect(page.locator(".turn .notice")).to_contain_text("interrupted", timeout=LONG)
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".partial")).to_contain_text("word word")
    expect(page.locator(".step-done")).to_contain_text("Looking at the clock")
    expect(page.locator("#query")).to_have_value("typed meanwhile")
    assert len(model_server.requests) == 2  # it did not run again by itself
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".prose")).to_have_text(["Whole."], timeout=LONG)
    page.reload()
    expect(page.locator(".question-text")).to_have_text(["What time is it?"])
    expect(page.locator(".prose")).to_have_text(["Whole."])
    expect(page.locator("#query")).to_have_value("typed meanwhile")
    assert len(model_server.requests) == 3
    context.close()
