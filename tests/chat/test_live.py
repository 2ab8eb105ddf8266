"""An answer while it is written: its blocks are finished once, and the end result is the whole's."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.chat import markdown
from researchassist.chat.live import LiveText

PARTS = [
    "# Title\n",
    "some *words* and **more**\n",
    "\n",
    "- item\n",
    "  - inner [p4]\n",
    "1. one\n",
    "\n\n",
    "> quoted\n",
    "```python\n",
    "```\n",
    "| a | b |\n",
    "|---|--:|\n",
    "| 1 | 2 |\n",
    "    code\n",
    "$$\n",
    "E = mc^2\n",
    "\\[ x \\]\n",
    "---\n",
    "===\n",
    "x $a_b$ y",
    "\r\n",
    "\r",
    "-",
    " ",
]


def written(pieces: list[str], *, look_after: int = 1) -> str:
    """What the page shows at the end, having looked after every so many pieces."""
    live, shown, end = LiveText(), [], {}
    for number, piece in enumerate(pieces):
        live.add(piece)
        if number % look_after == 0:
            end = live.rendered()
            shown += end["blocks"]
    end = live.rendered()
    return "\n".join([*shown, *end["blocks"], end.get("html") or end.get("text") or ""])


def same(html: str) -> str:
    return "".join(html.split())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PARTS), max_size=14), st.integers(1, 3))
def test_what_was_shown_in_pieces_is_what_the_whole_looks_like(parts: list[str], look_after: int) -> None:
    text = "".join(parts).rstrip("\r")
    pieces = [text[i : i + 3] for i in range(0, len(text), 3)]
    shown = written(pieces, look_after=look_after)
    # That a formula is never closed is seen only at the end.
    if text.strip() and 'latex">$$' not in shown.rsplit("<div", 1)[-1]:
        assert same(shown) == same(markdown.render(text))


def test_a_finished_block_is_sent_once_and_never_again() -> None:
    live = LiveText()
    live.add("# One\n\ntwo **words")
    first = live.rendered()
    live.add("**\n\nthree")
    second = live.rendered()
    assert first["blocks"] == ['<h3 class="level-1">One</h3>\n']
    assert first["html"] == "<p>two **words</p>\n"
    assert second["blocks"] == ["<p>two <strong>words</strong></p>\n"]
    assert second["html"] == "<p>three</p>\n"


def test_a_reader_who_comes_back_gets_all_of_it() -> None:
    live = LiveText()
    live.add("one\n\ntwo\n\nthree")
    live.rendered()
    whole = live.whole()
    assert whole["whole"] is True
    assert whole["blocks"] == ["<p>one</p>\n", "<p>two</p>\n"]
    assert whole["html"] == "<p>three</p>\n"


@pytest.mark.parametrize(
    "line", ["word " * 10, "word " * 10 + "\n", "- item\n", "| a |\n", "> a\n", "```\ncode\n"]
)
def test_an_end_that_grows_and_grows_is_left_to_the_page(line: str) -> None:
    live = LiveText()
    live.add(line * 3000)
    sent = live.rendered()
    assert len(sent.get("html", "")) < 30_000


def test_text_that_is_taken_back_leaves_nothing() -> None:
    live = LiveText()
    live.add("# One\n\ntwo")
    live.rendered()
    live.clear()
    assert live.is_empty
    live.add("new")
    assert live.rendered() == {"type": "rendered", "blocks": [], "html": "<p>new</p>\n"}


def test_rendering_again_waits_until_it_has_cost_little_of_the_time() -> None:
    live = LiveText()
    assert live.wait() == 0
    live.add("text")
    live.rendered()
    assert 0 < live.wait() < 5
