"""What the page does not let happen, in Chromium: forms from elsewhere, anything inline, lost tokens."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from pytest_httpserver import HTTPServer

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import calls

from .conftest import Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]


def test_a_page_whose_token_was_lost_keeps_the_text_and_works_at_the_next_try(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Yes.", forever=True)
    tab = open_tab()
    page = tab.page
    page.context.clear_cookies()
    tab.ask("a long thought")
    expect(page.locator("#notice")).to_contain_text("your text is still here")
    expect(page.locator("#query")).to_have_value("a long thought")
    assert memory.threads() == []
    page.press("#query", "Enter")
    expect(page.locator(".prose")).to_have_text("Yes.")
    expect(page.locator("#notice")).to_be_empty()
    page.context.clear_cookies()
    other = page.context.new_page()  # another tab gets another token; this one goes on with it
    other.goto("/")
    tab.ask("and more")
    expect(page.locator(".prose")).to_have_count(2)
    assert tab.complaints == []


def test_a_page_whose_token_was_lost_keeps_the_text_without_scripts(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    assistant_with("Yes.")
    page = open_tab(java_script_enabled=False).page
    page.context.clear_cookies()
    page.fill("#query", "a <b>long</b> thought")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#notice")).to_contain_text("your text is still here")
    expect(page.locator("#query")).to_have_value("a <b>long</b> thought")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".question-text")).to_have_text("a <b>long</b> thought")


def test_a_form_of_another_page_is_refused(
    open_tab: OpenTab, memory: MemoryManager, httpserver: HTTPServer, server: str
) -> None:
    memory.write_thread("t1", title="Mine")
    forms = "".join(
        f'<form id="f{number}" method="post" action="{server}{path}"><input name="query" value="theirs">'
        "</form>"
        for number, path in enumerate(["/threads/t1/turns", "/threads/t1/delete"])
    )
    httpserver.expect_request("/evil").respond_with_data(forms, content_type="text/html")
    tab = open_tab()  # so that the person's cookie is there
    for number in range(2):
        tab.page.goto(httpserver.url_for("/evil"))
        with tab.page.expect_navigation():
            tab.page.evaluate(f"document.getElementById('f{number}').submit()")
        expect(tab.page.locator("main")).to_contain_text("did not come from this page")
        expect(tab.page.locator("main")).not_to_contain_text("theirs")
    runner().wait_idle()
    assert [thread.title for thread in memory.threads()] == ["Mine"]
    assert memory.messages("t1") == []


def test_nothing_in_any_state_of_the_page_is_inline_and_the_policy_stands_on_every_answer(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    assistant_with(calls(("get_current_time", "{}")), "**Yes.**")
    policies: dict[str, str] = {}
    tab = open_tab("about:blank")
    page = tab.page
    page.on(
        "response",
        lambda r: policies.update({r.url.partition("?")[0]: r.headers.get("content-security-policy", "")}),
    )
    page.goto("/")
    tab.ask("Is it?")
    expect(page.locator(".prose")).to_have_text("Yes.")
    runner().wait_idle()
    page.locator("details.used > summary").click()
    expect(page.locator(".used-body")).to_contain_text("Model:")
    tab.ask("/help")
    expect(page.locator(".command-done")).to_have_count(1)
    page.get_by_role("link", name="Rename").click()
    expect(page.locator("#title")).to_be_focused()
    inline = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((one) =>
          one.matches("script:not([src]), style, [style]:not(#query)")
          || [...one.attributes].some(({ name }) => /^(on|hx-on)/.test(name))).map((one) => one.outerHTML)"""
    )
    assert inline == []
    for url in (page.url, page.url + "/rename", "/nowhere", "/turns/nope/used"):
        page.goto(url)
    assert len(policies) > 20
    loose = {url: policy for url, policy in policies.items() if "default-src 'none'" not in policy}
    assert {url for url in loose if "/static/" not in url} == set()
    assert not any("unsafe" in policy or "*" in policy for policy in policies.values())
    assert tab.elsewhere == []
    assert tab.complaints == []
