"""The chat page as a person uses it, in Chromium."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.ingest import ingest_text
from researchassist.agent.runner import runner
from researchassist.errors import ModelError
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM, calls

from .conftest import HeldLLM, Tab, look_again

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]
MakeHeld = Callable[..., HeldLLM]

HOSTILE = """<script>window.hit=1</script><img src=x onerror="window.hit=2"><svg/onload=window.hit=3>
[a](javascript:window.hit=4) ![b](http://127.0.0.1:9/spy.png) <http://127.0.0.1:9/>
<div hx-get="/" hx-trigger="load" hx-target="body">x</div> {{ 7|add:7 }}
<style>body{display:none}</style></main></textarea></title><h1>escaped</h1>

```html
</code></pre><iframe srcdoc="<script>parent.hit=5</script>">
```

| <img src=x onerror=window.hit=6> |
|-|
| <form action="/threads/t1/delete" method="post"><button>Gift</button></form> |
"""


def test_it_answers_as_it_is_written_and_survives_a_reload(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("Kestrel **claims** ", "41 %.\n\n- and\n- more")
    tab = open_tab()
    tab.ask("What does Kestrel claim?")
    page = tab.page
    expect(page.locator(".live-text")).to_have_text("Kestrel claims")
    expect(page.locator(".live-text strong")).to_have_text("claims")
    expect(page.locator("#query")).to_have_value("")
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#greeting")).to_have_count(0)
    assert "/threads/" in page.url
    page.reload()
    expect(page.locator(".live-text strong")).to_have_text("claims")
    model.let_go.set()
    expect(page.locator(".prose strong")).to_have_text("claims")
    expect(page.locator(".prose li")).to_have_count(2)
    expect(page.locator("#send")).to_be_visible()
    page.reload()
    expect(page.locator(".question-text")).to_have_text(["What does Kestrel claim?"])
    expect(page.locator(".prose strong")).to_have_text("claims")
    expect(page.locator(".threads [aria-current]")).to_contain_text("What does Kestrel claim?")
    assert tab.complaints == []


def test_it_shows_one_answer_in_two_tabs(open_tab: OpenTab, held: MakeHeld, memory: MemoryManager) -> None:
    model = held("first ", "second")
    one = open_tab()
    one.ask("hi")
    expect(one.page.locator(".live-text")).to_have_text("first ")
    two = open_tab(one.page.url)
    expect(two.page.locator(".live-text")).to_have_text("first ")
    model.let_go.set()
    for tab in (one, two):
        expect(tab.page.locator(".prose")).to_have_text(["first second"])
    assert len(memory.messages(memory.threads()[0].id)) == 2


def test_it_shows_tools_as_they_run_and_what_was_used_afterwards(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant = assistant_with(
        calls(("get_current_time", "{}"), ("expand_summary", '{"summary_id": "nope"}'), text="Let me look."),
        "Found it.",
    )
    ingest_text(assistant, "Kestrel cuts latency by 41 %.", title="Kestrel notes")
    tab = open_tab()
    page = tab.page
    # Holds the last step on the page: the closing event is seen, its swap is not.
    page.route("**/turns/*", lambda route: None)
    tab.ask("What about Kestrel?")
    expect(page.locator(".step-text")).to_have_text("Let me look.")
    expect(page.locator(".step-done .step-name")).to_have_text("get_current_time")
    expect(page.locator(".step-failed")).to_contain_text("nope")
    expect(page.locator(".live-text")).to_have_text("Found it.")
    page.unroute("**/turns/*")
    runner().wait_idle()
    page.reload()
    page.locator("details.used > summary").click()
    expect(page.locator(".used-body")).to_contain_text("Kestrel notes")
    expect(page.locator(".used-body meter")).to_be_visible()
    page.locator(".calls summary").first.click()
    expect(page.locator(".log")).to_contain_text("Result")
    assert tab.complaints == []


def test_it_breaks_the_line_with_shift_and_enter(open_tab: OpenTab, memory: MemoryManager) -> None:
    page = open_tab().page
    height = page.locator("#query").bounding_box()["height"]  # type: ignore[index]
    page.fill("#query", "one")
    page.press("#query", "Shift+Enter")
    page.type("#query", "two")
    assert page.input_value("#query") == "one\ntwo"
    assert page.locator("#query").bounding_box()["height"] > height  # type: ignore[index]
    assert memory.threads() == []


def test_it_sends_once_however_often_it_is_pressed(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    model = assistant_with("Yes.", forever=True).model
    page = open_tab().page
    page.fill("#query", "once")
    page.evaluate("for (let i = 0; i < 5; i++) document.getElementById('composer').requestSubmit()")
    expect(page.locator(".prose")).to_have_text(["Yes."])
    runner().wait_idle()
    assert len(memory.messages(memory.threads()[0].id)) == 2
    assert isinstance(model, ScriptedLLM)
    assert len(model.requests) == 1


def test_it_keeps_a_refused_text_and_offers_to_store_it(open_tab: OpenTab, memory: MemoryManager) -> None:
    tab = open_tab()
    text = "Kestrel notes. " * 20_000
    tab.ask(text)
    expect(tab.page.locator("#notice")).to_contain_text("Nothing was sent")
    assert tab.page.input_value("#query") == text
    tab.page.get_by_role("button", name="Attach it as a document").click()
    expect(tab.page.locator(".command-done .card")).to_contain_text("Kestrel notes", timeout=30_000)
    expect(tab.page.locator("#query")).to_have_value("")
    expect(tab.page.locator("#notice")).to_be_empty()
    assert len(memory.documents()) == 1
    assert [memory.messages(thread.id) for thread in memory.threads()] == [[]]


def test_it_keeps_the_text_where_the_server_is_away(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.page.route("**/turns", lambda route: route.abort())
    tab.ask("still here")
    expect(tab.page.locator("#notice")).to_contain_text("cannot be reached")
    assert tab.page.input_value("#query") == "still here"


def test_it_refuses_a_second_message_and_stops_when_asked(open_tab: OpenTab, held: MakeHeld) -> None:
    held("Half ", "whole")
    tab = open_tab()
    page = tab.page
    tab.ask("first")
    expect(page.locator(".live-text")).to_have_text("Half ")
    tab.ask("second")
    expect(page.locator("#notice")).to_contain_text("still being written")
    assert page.input_value("#query") == "second"
    page.locator("#stop").click()
    expect(page.locator(".note")).to_have_text("You stopped this answer.")
    expect(page.locator(".prose")).to_have_text("Half")
    expect(page.locator("#send")).to_be_visible()
    assert page.input_value("#query") == "second"
    assert tab.complaints == []


def test_it_tries_a_failed_answer_again(open_tab: OpenTab, assistant_with: MakeAssistant) -> None:
    assistant_with(ModelError("The model server is away."), "Here I am.")
    tab = open_tab()
    tab.ask("hi")
    expect(tab.page.locator(".turn .notice")).to_contain_text("The model server is away.")
    tab.page.get_by_role("button", name="Retry").click()
    expect(tab.page.locator(".prose")).to_have_text(["Here I am."])
    expect(tab.page.locator(".turn .notice")).to_have_count(0)
    expect(tab.page.locator(".question-text")).to_have_count(1)


def test_it_renames_in_place(open_tab: OpenTab, memory: MemoryManager) -> None:
    memory.write_thread("t1", title="Old name")
    tab = open_tab("/threads/t1")
    page = tab.page
    page.get_by_role("link", name="Rename").click()
    expect(page.locator("#title")).to_be_focused()
    page.fill("#title", "New <name>")
    page.press("#title", "Enter")
    expect(page.locator("h1")).to_have_text("New <name>")
    expect(page.locator(".threads .thread-title")).to_have_text(["New <name>"])
    assert [thread.title for thread in memory.threads()] == ["New <name>"]
    assert tab.complaints == []


def test_it_is_not_moved_by_hostile_text(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    memory.write_knowledge_base(HOSTILE, {"title": HOSTILE, "source": "hostile.md"})
    assistant_with(calls(("get_current_time", HOSTILE), text=HOSTILE), HOSTILE)
    tab = open_tab()
    page = tab.page
    tab.ask(HOSTILE)
    expect(page.locator(".prose")).to_be_visible()
    runner().wait_idle()
    page.reload()
    page.locator("details.used > summary").click()
    expect(page.locator(".used-body")).to_contain_text("Model:")
    page.locator(".used-body details").first.locator("summary").click()
    page.locator(".calls summary").first.click()
    expect(page.locator(".log")).to_contain_text("Result")
    assert page.evaluate("window.hit") is None
    assert page.locator("h1").count() == 1
    assert page.locator("body img, body iframe, body svg[onload], .turn form:not(.ask-again)").count() == 0
    assert page.locator("main").is_visible()
    assert tab.elsewhere == []
    assert tab.complaints == []


def test_it_follows_the_text_unless_the_reader_scrolled_up(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("line\n\n" * 80, "line\n\n" * 80, "end")
    tab = open_tab(viewport={"width": 900, "height": 500})
    page = tab.page
    tab.ask("long")
    expect(page.locator(".live-text")).to_contain_text("line")
    tab.wait_until("scrollY > 500 && scrollY + innerHeight > document.documentElement.scrollHeight - 5")
    page.evaluate("scrollTo(0, 100)")
    tab.wait_until("scrollY === 100")
    page.wait_for_timeout(100)
    model.let_go.set()
    expect(page.locator(".prose")).to_contain_text("end")
    page.wait_for_timeout(200)
    assert page.evaluate("scrollY") == 100


def test_what_is_sent_is_in_view_whether_a_turn_a_command_or_a_failure(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    assistant_with("line\n\n" * 80, ModelError("The model server is away."), "line\n\n" * 80)
    tab = open_tab(viewport={"width": 900, "height": 500})
    page = tab.page
    at_end = "scrollY + innerHeight > document.documentElement.scrollHeight - 5"

    def ask_from_above(text: str) -> None:
        page.evaluate("scrollTo(0, 0)")
        tab.wait_until("scrollY === 0")
        # The page hears of it with the next frame.
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        tab.ask(text)

    tab.ask("long")
    expect(page.locator("details.used")).to_have_count(1)
    ask_from_above("/documents")
    expect(page.locator(".command-done")).to_have_count(1)
    tab.wait_until(at_end)
    ask_from_above("and this?")
    expect(page.locator(".turn .notice")).to_contain_text("The model server is away.")
    tab.wait_until(at_end)
    ask_from_above("long again")
    expect(page.locator("details.used")).to_have_count(3)
    runner().wait_idle()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    tab.wait_until(at_end)
    before = page.evaluate("scrollY")
    page.locator("details.used > summary").last.evaluate("e => e.click()")  # Playwright's click may scroll
    expect(page.locator(".used-body").last).to_contain_text("Model:")
    assert page.evaluate("scrollY") == before  # what the reader unfolds moves nothing


def test_it_lets_go_of_its_stream_in_a_hidden_tab(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("first ", "second")
    tab = open_tab()
    page = tab.page
    tab.ask("hi")
    expect(page.locator(".live-text")).to_have_text("first ")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    model.let_go.set()
    runner().wait_idle()
    page.wait_for_timeout(300)
    expect(page.locator(".live-text")).to_have_text("first ")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: false, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(page.locator(".prose")).to_have_text("first second")


def test_it_works_without_scripts(open_tab: OpenTab, held: MakeHeld, memory: MemoryManager) -> None:
    model = held("Plain ", "answer.")
    page = open_tab(java_script_enabled=False).page
    page.fill("#query", "hi")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    model.let_go.set()
    runner().wait_idle()
    look_again(page)
    expect(page.locator(".prose")).to_have_text("Plain answer.")
    page.locator("details.used > summary").click()
    page.get_by_role("link", name="Show what this used").click()
    expect(page.locator("main")).to_contain_text("Model: held")
    page.get_by_role("link", name="Back to the conversation").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("was deleted")
    assert memory.threads() == []
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".prose")).to_have_text("Plain answer.")


@pytest.mark.parametrize("scripts", [True, False])
def test_it_fits_a_phone_and_opens_its_drawer(
    open_tab: OpenTab, memory: MemoryManager, scripts: bool
) -> None:
    memory.write_thread("t1", title="A long title without end " * 4)
    memory.write_conversational_memory("x" * 400, "user", "t1")
    wide = "|" + "column|" * 20 + "\n|" + "-|" * 20 + "\n\n```\n" + "y" * 500 + "\n```\n" + "z" * 500
    memory.write_conversational_memory(wide, "assistant", "t1")
    page = open_tab("/threads/t1", viewport={"width": 380, "height": 700}, java_script_enabled=scripts).page
    assert page.locator(".main").evaluate("e => e.scrollWidth <= e.clientWidth")
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".threads")).to_be_hidden()
    page.get_by_text("Conversations", exact=True).click()
    expect(page.locator(".threads")).to_be_visible()


@pytest.mark.parametrize("piece", ["word " * 9 + "end.\n", "word " * 10])
def test_it_appends_a_token_at_the_same_cost_at_any_length(
    open_tab: OpenTab, held: MakeHeld, piece: str
) -> None:
    model = held("go ", *[piece] * 4_000)
    tab = open_tab()
    tab.ask("long")
    # Leaves the live text on the page when the answer is complete.
    tab.page.route("**/turns/*", lambda route: None)
    expect(tab.page.locator(".live-text")).to_have_text("go ")
    model.let_go.set()
    tab.wait_until(f"document.querySelector('.live-text').textContent.length >= {3_900 * len(piece)}")
    longest = tab.page.evaluate(
        "Math.max(...[...document.querySelectorAll('.live-block')].map((b) => b.textContent.length))"
    )
    assert longest <= 6_000
