"""What a model, a document, a name or an error says does nothing to the page, wherever it is shown."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from researchassist.agent.assistant import Assistant
from researchassist.agent.ingest import ingest_bytes
from researchassist.agent.runner import runner
from researchassist.agent.tools import default_tools, define
from researchassist.errors import ToolError
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM, calls

from .conftest import HeldLLM, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OpenTab = Callable[..., Tab]

ITEMS = [
    "<script>window.hit=1</script>",
    '<img src=x onerror="window.hit=2">',
    "<svg/onload=window.hit=3>",
    "[click](javascript:window.hit=4)",
    "[click](JaVaScRiPt:window.hit=5)",
    "[click](java&#10;script:window.hit=6)",
    "[click](&#106;avascript:window.hit=7)",
    "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[click](vbscript:msgbox(1))",
    '<a href="\tjavascript:window.hit=8">x</a>',
    '![x](x"onerror="window.hit=9)',
    "[x]: javascript:window.hit=10\n\n[ref link][x]",
    "<javascript:window.hit=11>",
    "```html\n</code></pre><script>window.hit=12</script>\n```",
    '```"><img/src=x/onerror=window.hit=13>\ncode\n```',
    "`</code><img src=x onerror=window.hit=14>`",
    "| a |\n|---|\n| <img src=x onerror=window.hit=15> |",
    '<div hx-get="/" hx-trigger="load" hx-target="body">swapped</div>',
    '<div hx-on::load="window.hit=16" hx-trigger="load">event</div>',
    '<form action="/threads/t1/delete" method=post><button>Free gift</button></form>',
    "<style>body{display:none}</style>",
    '<iframe srcdoc="<script>parent.hit=17</script>"></iframe>',
    "<math><mtext><table><mglyph><style><!--</style>"
    '<img title="--&gt;&lt;img src=1 onerror=window.hit=18&gt;">',
    r"$\href{javascript:window.hit=19}{x}$ $\text{<img src=x onerror=window.hit=20>}$",
    '<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">',
    '</div></div></main><h1 style="position:fixed;inset:0">escaped</h1>',
    "<input name=csrfmiddlewaretoken value=x><textarea>",
    "![a](http://127.0.0.1:9/a?q=conversation) ![c][ref]\n\n[ref]: http://127.0.0.1:9/c?q=secret",
    '<img src="//127.0.0.1:9/b"> <video poster=http://127.0.0.1:9/d></video>',
    "<link rel=stylesheet href=http://127.0.0.1:9/e>",
    "[p1](javascript:window.hit=21) [p<img src=x onerror=window.hit=22>] {{ 7|add:7 }} {% csrf_token %}",
]
END = "THE END OF IT"
ALL = "\n\n".join([*ITEMS, END])
NAME = " ".join(" ".join(ITEMS).split())[:450]


def is_unharmed(tab: Tab) -> None:
    """Nothing ran, nothing was loaded, nothing of the content is an element of its own kind."""
    page = tab.page
    assert page.evaluate("window.hit") is None
    assert page.locator("h1:visible").count() <= 1
    allowed = ".code-head, .log, .used-body, #source"
    inside = ":is(.prose, .live-text, .question-text, .passage, .summary-place, .log, .step, .entry-title)"
    elements = "img, svg, iframe, form, input, textarea, style, script, video, link, meta, object"
    found = f"[...document.querySelectorAll('{inside} :is({elements})')]"
    assert page.evaluate(f"{found}.filter((e) => !e.closest('{allowed}')).length") == 0
    assert page.evaluate(
        "[...document.querySelectorAll('main a[href], #source a[href]')].every((a) =>"
        " a.origin === location.origin || (/^(https?|mailto):/.test(a.protocol)"
        " && a.rel.includes('noopener') && a.target === '_blank'))"
    )
    assert page.evaluate(
        "[...document.querySelectorAll('main *, #source *')].every((e) =>"
        " [...e.attributes].every((a) => !/^on/.test(a.name)"
        " && !(['href', 'src'].includes(a.name) && /javascript:/i.test(a.value))))"
    )
    assert page.locator("#composer").is_visible()
    assert tab.elsewhere == []
    assert tab.complaints == []


def test_an_answer_does_nothing_while_it_is_written_and_afterwards(
    open_tab: OpenTab, held: Callable[..., HeldLLM]
) -> None:
    model = held(*[ALL[i : i + 3] for i in range(0, len(ALL), 3)])
    model.let_go.set()
    tab = open_tab()
    tab.page.route("**/turns/*", lambda route: None)
    tab.ask(ALL)
    expect(tab.page.locator(".live-text")).to_contain_text(END, timeout=20_000)
    is_unharmed(tab)
    tab.page.unroute("**/turns/*")
    expect(tab.page.locator(".status-text")).to_have_text("Finishing…", timeout=20_000)
    tab.page.reload()
    expect(tab.page.locator(".prose")).to_contain_text(END)
    expect(tab.page.locator(".question-text")).to_contain_text(END)
    box, main = tab.page.locator(".prose").bounding_box(), tab.page.locator("main").bounding_box()
    assert box
    assert main
    assert main["x"] <= box["x"]
    assert box["x"] + box["width"] <= main["x"] + main["width"]
    is_unharmed(tab)
    # The page's own forms still work.
    tab.ask("/help")
    expect(tab.page.locator(".command-done")).to_have_count(1)


def test_documents_names_summaries_and_errors_do_nothing_where_they_are_shown(
    open_tab: OpenTab, assistant_with: Callable[..., Assistant], memory: MemoryManager
) -> None:
    def failing(what: str = "") -> str:
        """Fail with a hostile error text about anything asked for."""
        raise ToolError(ALL)

    writer = ScriptedLLM(ALL, forever=True)
    assistant = assistant_with("x", writer=writer, tools=[*default_tools(), define(failing)])
    ingest_bytes(assistant, f"{NAME[:180]}.md", f"# {NAME}\n\n{ALL}".encode())
    passages = memory.read_knowledge_base("click", k=50).records
    memory.write_entity(NAME[:200], "SYSTEM", ALL)
    memory.write_thread("t1", title=NAME)
    old = memory.write_conversational_memory(ALL, "user", "t1")
    memory.write_conversational_memory(ALL, "assistant", "t1")
    memory.write_summary(full_content=ALL, summary=ALL, description=NAME, thread_id="t1", messages=[old])
    marks = "".join(f"[p{one.id}]" for one in passages)
    assistant.model.replies = [  # type: ignore[attr-defined]
        calls(("failing", json.dumps({"what": NAME[:90]})), text=ALL),
        lambda messages: f"{ALL}\n\nIt says so {marks}.",
    ]
    tab = open_tab("/threads/t1")
    page = tab.page
    tab.ask("What does the click say?")
    expect(page.locator("details.used")).to_have_count(1, timeout=20_000)
    runner().wait_idle()
    page.reload()
    expect(page.locator(".prose").last).to_contain_text(END)
    is_unharmed(tab)
    page.locator("details.used > summary").last.click()
    expect(page.locator(".used-body")).to_contain_text("Model:")
    for opens in ("details:has(.passage)", "details:has(.summary-place)", ".calls details"):
        page.locator(f".used-body {opens} > summary").first.click()
    expect(page.locator(".summary-text")).to_contain_text(END)
    expect(page.locator(".log")).to_contain_text(END)
    is_unharmed(tab)
    page.locator(".sources a, .given a").first.click(force=True)
    expect(page.locator("#source .passage")).to_be_visible()
    is_unharmed(tab)
    for number, command in enumerate(("/documents", "/search click"), start=1):
        tab.ask(command)
        expect(page.locator(".command-done")).to_have_count(number)
    is_unharmed(tab)


def test_any_line_ends_and_lines_like_events_are_the_same_live_reloaded_and_stored(
    open_tab: OpenTab, held: Callable[..., HeldLLM], memory: MemoryManager
) -> None:
    """B37: pieces with line breaks of every kind, and text that looks like the stream's own lines."""
    pieces = [
        "Steps:\n", "\n", "1. stop\n2. wait\n", "\n```python\n", "for i in range(3):\n", "    print(i)\n",
        "```\n", "\n| a | b |\n|---|---|\n", "| 1 | 2 |\n", "\r\nafter CRLF", "\rafter CR",
        "\n\ndata: not an event\n\nevent: done\n\nid: 99\n\nlast", " line",
    ]  # fmt: skip
    model = held(*pieces)
    model.let_go.set()
    tab = open_tab()
    page = tab.page
    page.route("**/turns/*", lambda route: None)
    tab.ask("hi")
    expect(page.locator(".live-text")).to_contain_text("last line")
    expect(page.locator(".live-text p")).to_have_count(6)
    expect(page.locator(".live-text p").last).to_have_text("last line")
    shown = "e => [...e.querySelectorAll('p, li, td, pre')].map((one) => one.innerText)"
    live = page.locator(".live-text").evaluate(shown)
    page.unroute("**/turns/*")
    runner().wait_idle()
    page.reload()
    assert page.locator(".prose").evaluate(shown) == live
    assert any("for i in range(3):\n    print(i)" in one for one in live)
    answer = memory.messages(memory.threads()[0].id)[-1]
    assert answer.content.replace("\r\n", "\n") == "".join(pieces).replace("\r\n", "\n")


def test_long_things_scroll_in_their_own_boxes(
    open_tab: OpenTab, assistant_with: Callable[..., Assistant], memory: MemoryManager
) -> None:
    """B40: nothing is wider than the page, whatever stands in an answer."""
    wide = [
        "A" * 100_000,
        "```json\n" + '{"k": "' + "v" * 100_000 + '"}\n```',
        "|h" * 60 + "|\n" + "|-" * 60 + "|\n" + "|some words" * 60 + "|",
        "$$" + "x + " * 300 + "y$$",
        "inline $" + "x + " * 150 + "y$ formula",
        "https://example.org/" + "a" * 3_000,
        "> " * 19 + "deep",
        "- " + "`" + "b" * 2_000 + "`",
    ]
    memory.write_thread("t1", title="Wide")
    memory.write_conversational_memory("?", "user", "t1")
    memory.write_conversational_memory("\n\n".join(wide), "assistant", "t1")
    tab = open_tab("/threads/t1", viewport={"width": 380, "height": 700})
    page = tab.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for box in (".table", "pre.code", ".math-display", ".math"):
        scrolls = page.locator(f".prose {box}").last.evaluate(
            "e => e.scrollWidth > e.clientWidth && e.clientWidth <= innerWidth"
        )
        assert scrolls, box
