"""The message field as a person uses it, in Chromium: nothing typed is lost, nothing is sent twice."""

import base64
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Route, expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]
MakeAssistant = Callable[..., Assistant]
MakeHeld = Callable[..., HeldLLM]

PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const box = document.getElementById("query");
  box.focus();
  box.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
}"""
LONG_TEXT = "Owls of the north\n\n" + "They sleep by day. " * 300
DRAFT = "JSON.stringify(Object.entries(localStorage))"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


def kept(tab: Tab, text: str) -> None:
    """Writes and waits until the draft is kept."""
    tab.page.fill("#query", text)
    tab.wait_until(f"{DRAFT}.includes({text!r})")


# It grows and sends


def test_it_grows_with_its_text_up_to_a_bound_and_shrinks_when_sent(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    assistant_with("Yes.")
    page = open_tab(viewport={"width": 900, "height": 600}).page
    height = "document.getElementById('query').offsetHeight"
    one = page.evaluate(height)
    page.fill("#query", "line\n" * 5)
    five = page.evaluate(height)
    page.fill("#query", "line\n" * 200)
    many = page.evaluate(height)
    assert one < five < many <= 600 * 0.4 + 1
    page.press("#query", "Enter")
    expect(page.locator(".prose")).to_have_text("Yes.")
    assert page.evaluate(height) == one


def test_enter_in_the_middle_of_composed_characters_sends_nothing(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    tab = open_tab()
    page = tab.page
    page.focus("#query")
    input_method = page.context.new_cdp_session(page)
    input_method.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    page.evaluate(
        """() => {
          const box = document.getElementById("query");
          for (const made of [{ isComposing: true }, { keyCode: 229 }]) {
            const pressed = { key: "Enter", bubbles: true, cancelable: true, ...made };
            box.dispatchEvent(new KeyboardEvent("keydown", pressed));
          }
        }"""
    )
    input_method.send("Input.insertText", {"text": "日本"})
    expect(page.locator("#query")).to_have_value("日本")
    assert memory.threads() == []
    page.press("#query", "Enter")
    expect(page.locator(".question-text")).to_have_text("日本")


def test_on_a_phone_enter_starts_a_line_and_the_button_sends(
    open_tab: OpenTab, assistant_with: MakeAssistant
) -> None:
    assistant_with("Yes.")
    page = open_tab(viewport={"width": 380, "height": 700}, is_mobile=True, has_touch=True).page
    page.tap("#query")
    page.keyboard.type("one")
    page.keyboard.press("Enter")
    page.keyboard.type("two")
    expect(page.locator("#query")).to_have_value("one\ntwo")
    page.tap("#send")
    expect(page.locator(".question-text")).to_have_text("one\ntwo")
    expect(page.locator(".prose")).to_have_text("Yes.")


# Drafts


def test_a_draft_is_kept_by_conversation_over_a_reload_until_it_is_sent(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Yes.", forever=True)
    memory.write_thread("t1", title="One")
    memory.write_thread("t2", title="Two")
    tab = open_tab("/threads/t1")
    page = tab.page
    kept(tab, "half a question")
    page.goto("/threads/t2")
    expect(page.locator("#query")).to_have_value("")
    kept(tab, "another")
    page.goto("/")
    kept(tab, "something new")
    page.reload()
    expect(page.locator("#query")).to_have_value("something new")
    page.goto("/threads/t1")
    expect(page.locator("#query")).to_have_value("half a question")
    page.press("#query", "Enter")
    expect(page.locator(".prose")).to_have_text("Yes.")
    page.reload()
    expect(page.locator("#query")).to_have_value("")
    page.goto("/")
    page.press("#query", "Enter")
    expect(page.locator(".question-text")).to_have_text("something new")
    page.goto("/")
    expect(page.locator("#query")).to_have_value("")
    page.goto("/threads/t2")
    expect(page.locator("#query")).to_have_value("another")
    assert tab.complaints == []


def test_a_refused_text_is_kept_over_a_reload(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("Half ", "whole")
    tab = open_tab()
    page = tab.page
    tab.ask("first")
    expect(page.locator(".live-text")).to_have_text("Half ")
    tab.ask("second")
    expect(page.locator("#notice")).to_contain_text("still being written")
    page.reload()
    expect(page.locator("#query")).to_have_value("second")
    model.let_go.set()
    expect(page.locator(".prose")).to_have_text("Half whole")
    page.press("#query", "Enter")
    expect(page.locator(".question-text")).to_have_text(["first", "second"])


def test_old_drafts_make_room_for_new_ones(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.page.evaluate(
        "for (let n = 0; n < 60; n++)"
        " localStorage.setItem(`draft t${n}`, JSON.stringify({ text: 'x', key: '', at: n }))"
    )
    kept(tab, "the newest")
    assert tab.page.evaluate("Object.keys(localStorage).length") == 50
    assert tab.page.evaluate("localStorage.getItem('draft t59') && !localStorage.getItem('draft t10')")


def test_a_text_too_long_for_the_browser_to_keep_is_said_to_be(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.page.evaluate("document.getElementById('query').value = 'x'.repeat(6_000_000)")
    tab.page.evaluate("document.getElementById('query').dispatchEvent(new Event('input', { bubbles: true }))")
    expect(tab.page.locator("#unkept")).to_contain_text("too long for the browser to keep")
    tab.page.fill("#query", "short")
    expect(tab.page.locator("#unkept")).to_be_empty()


# Sent once


def lose_the_reply(route: Route) -> None:
    """The server gets the message and the browser never hears of it."""
    route.fetch()
    route.abort("connectionreset")


def test_a_message_whose_reply_was_lost_is_one_message_sent_again_or_reloaded(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    model = assistant_with("Yes.", forever=True).model
    tab = open_tab()
    page = tab.page
    page.route("**/turns", lose_the_reply)
    tab.ask("once")
    expect(page.locator("#notice")).to_contain_text("Your text is still here")
    expect(page.locator("#query")).to_have_value("once")
    page.unroute("**/turns")
    page.reload()
    expect(page.locator("#query")).to_have_value("once")
    page.press("#query", "Enter")
    expect(page.locator(".prose")).to_have_text(["Yes."])
    expect(page.locator(".question-text")).to_have_text(["once"])
    expect(page.locator("#query")).to_have_value("")
    runner().wait_idle()
    [thread] = memory.threads()
    assert page.url.endswith(f"/threads/{thread.id}")

    page.route("**/turns", lose_the_reply)
    tab.ask("twice")
    expect(page.locator("#notice")).to_contain_text("Your text is still here")
    expect(page.locator("#query")).to_have_value("twice")
    page.unroute("**/turns")
    tab.ask("thrice")  # another text is another message, whatever became of the first
    expect(page.locator(".question-text").last).to_have_text("thrice")
    expect(page.locator(".turn-running")).to_have_count(0)
    page.reload()
    expect(page.locator(".question-text")).to_have_text(["once", "twice", "thrice"])
    assert isinstance(model, ScriptedLLM)
    assert len(model.requests) == 3


def test_a_sent_text_is_not_put_back_where_its_question_is_on_the_page(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Yes.")
    memory.write_thread("t1", title="One")
    tab = open_tab("/threads/t1")
    tab.page.route("**/turns", lose_the_reply)
    tab.ask("once")
    expect(tab.page.locator("#notice")).to_contain_text("Your text is still here")
    tab.page.reload()
    expect(tab.page.locator(".question-text")).to_have_text(["once"])
    expect(tab.page.locator("#query")).to_have_value("")


def test_what_one_tab_sends_the_others_of_its_conversation_show(
    open_tab: OpenTab, held: MakeHeld, memory: MemoryManager
) -> None:
    model = held("Half ", "whole")
    memory.write_thread("t1", title="One")
    memory.write_thread("t2", title="Two")
    one = open_tab("/threads/t1")
    two, other = one.page.context.new_page(), one.page.context.new_page()
    two.goto("/threads/t1")
    other.goto("/threads/t2")
    one.ask("hello")
    expect(two.locator(".question-text")).to_have_text(["hello"])
    expect(two.locator("#stop")).to_be_visible()
    model.let_go.set()
    for page in (one.page, two):
        expect(page.locator(".prose")).to_have_text(["Half whole"])
        expect(page.locator("#send")).to_be_visible()
    two.fill("#query", "/help")
    two.press("#query", "Enter")
    expect(one.page.locator(".command-done")).to_have_count(1)
    expect(two.locator(".command-done")).to_have_count(1)
    expect(other.locator(".turn, .command")).to_have_count(0)
    assert one.complaints == []


def test_a_text_that_another_tab_has_sent_leaves_this_one(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("Yes.")
    memory.write_thread("t1", title="One")
    one = open_tab("/threads/t1")
    kept(one, "hello")
    two = one.page.context.new_page()
    two.goto("/threads/t1")
    expect(two.locator("#query")).to_have_value("hello")
    one.page.press("#query", "Enter")
    expect(two.locator("#query")).to_have_value("")


# Long texts


def test_a_long_text_that_is_pasted_can_be_attached_and_the_rest_stays(
    open_tab: OpenTab, memory: MemoryManager
) -> None:
    tab = open_tab()
    page = tab.page
    page.fill("#query", "What does this say?\n")
    page.press("#query", "End")
    page.evaluate(PASTE, LONG_TEXT)
    offer = page.locator("#paste-offer")
    expect(offer).to_contain_text(f"You pasted {len(LONG_TEXT):,} characters.")
    page.get_by_role("button", name="Attach it as a document").click()
    expect(page.locator(".command-done .card")).to_contain_text("Owls of the north")
    expect(page.locator("#query")).to_have_value("What does this say?")
    expect(page.locator("#query")).to_be_focused()
    expect(offer).to_be_hidden()
    assert [one.title for one in memory.documents()] == ["Owls of the north"]
    page.evaluate(PASTE, LONG_TEXT.replace("day", "noon"))
    page.get_by_role("button", name="Attach it as a document").click()
    expect(page.locator(".command-done .card")).to_have_count(2)
    assert len(memory.documents()) == 2  # they begin alike and are two
    assert tab.complaints == []


def test_a_long_text_may_stay_where_it_is_and_a_short_one_is_let_alone(open_tab: OpenTab) -> None:
    page = open_tab().page
    page.evaluate(PASTE, "short")
    page.wait_for_timeout(50)
    expect(page.locator("#paste-offer")).to_be_hidden()
    page.evaluate(PASTE, LONG_TEXT)
    page.get_by_role("button", name="Keep it here").click()
    expect(page.locator("#paste-offer")).to_be_hidden()
    expect(page.locator("#query")).to_have_value("short" + LONG_TEXT)
    expect(page.locator("#query")).to_be_focused()


def test_a_text_that_could_not_be_attached_stays(open_tab: OpenTab) -> None:
    page = open_tab().page
    page.route("**/files", lambda route: route.abort())
    page.evaluate(PASTE, LONG_TEXT)
    page.get_by_role("button", name="Attach it as a document").click()
    expect(page.locator(".command-failed")).to_contain_text("could not be sent")
    expect(page.locator("#query")).to_have_value(LONG_TEXT)
    expect(page.get_by_role("button", name="Attach it as a document")).to_be_enabled()


# Commands that are none


def test_what_only_looks_like_a_command_is_sent_as_a_message_with_a_button(
    open_tab: OpenTab, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("A shell prints it.")
    tab = open_tab()
    tab.ask("/halp me")
    expect(tab.page.locator("#notice")).to_contain_text("Did you mean /help")
    tab.page.get_by_role("button", name="Send it as a message").click()
    expect(tab.page.locator(".prose")).to_have_text("A shell prints it.")
    expect(tab.page.locator("#query")).to_have_value("")
    assert [m.content for m in memory.messages(memory.threads()[0].id)][:1] == ["/halp me"]
    assert tab.complaints == []


# Dropping


def test_the_whole_page_takes_files_and_says_so_while_they_are_over_it(open_tab: OpenTab) -> None:
    page = open_tab().page
    drag = """(kind) => {
      const data = new DataTransfer();
      if (kind !== "text") data.items.add(new File(["x"], "a.txt"));
      else data.setData("text/plain", "x");
      const made = { bubbles: true, cancelable: true, dataTransfer: data };
      if (kind === "leave") document.body.dispatchEvent(new DragEvent("dragleave", made));
      else document.body.dispatchEvent(new DragEvent("dragover", made));
    }"""
    zone = page.locator("#drop-zone")
    page.evaluate(drag, "text")
    expect(zone).to_be_hidden()
    page.evaluate(drag, "file")
    expect(zone).to_contain_text("Drop to read into memory")
    covered = zone.bounding_box()
    assert covered is not None
    assert (covered["x"], covered["y"], covered["height"]) == (0, 0, 720)
    assert covered["width"] > 1260  # all but the scroll bar's place
    page.evaluate(drag, "leave")
    expect(zone).to_be_hidden()


def test_a_folder_that_is_dropped_gives_its_files(open_tab: OpenTab, memory: MemoryManager) -> None:
    tab = open_tab()
    content = base64.b64encode(b"Larks sing.").decode()
    tab.page.evaluate(
        """([content]) => {
          const text = atob(content);
          const file = (name, words) => ({
            name, isFile: true, isDirectory: false, file: (tell) => tell(new File([words], name)),
          });
          const folder = (name, children) => ({
            name, isFile: false, isDirectory: true,
            createReader: () => ({ readEntries: (tell) => tell(children.splice(0, 1)) }),
          });
          const papers = folder("papers", [
            file("a.txt", text), file(".DS_Store", "x"), folder("more", [file("b.txt", "Owls sleep.")]),
          ]);
          const dropped = new Event("drop", { bubbles: true, cancelable: true });
          dropped.dataTransfer = { types: ["Files"], files: [], items: [{ webkitGetAsEntry: () => papers }] };
          document.body.dispatchEvent(dropped);
        }""",
        [content],
    )
    expect(tab.page.locator(".command-done .card")).to_have_count(2)
    assert {one.title for one in memory.documents()} == {"Larks sing.", "Owls sleep."}
    assert tab.complaints == []


def test_a_long_answer_does_not_hold_up_typing(open_tab: OpenTab, held: MakeHeld) -> None:
    model = held("go ", *["word " * 40] * 200)
    tab = open_tab()
    tab.ask("long")
    expect(tab.page.locator(".live-text")).to_have_text("go ")
    typing = threading.Thread(target=model.let_go.set)
    typing.start()
    tab.page.locator("#query").press_sequentially("the next question")
    expect(tab.page.locator("#query")).to_have_value("the next question")
    typing.join()
    expect(tab.page.locator(".prose")).to_contain_text("word")
    expect(tab.page.locator("#query")).to_have_value("the next question")
    expect(tab.page.locator("#query")).to_be_focused()
