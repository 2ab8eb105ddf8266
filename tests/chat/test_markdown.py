"""Answers as HTML: what is rendered, what is taken away, and that it never takes long."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from researchassist.chat import markdown
from researchassist.chat.rendering.cleaning import cleaned


def test_it_renders_what_answers_are_made_of() -> None:
    html = markdown.render("# A\n\n**b** *c* ~~d~~ `e`\n\n- f\n\n1. g\n\n> h\n\n|i|j|\n|:-|-:|\n|1|2|\n")
    for part in (
        '<h3 class="level-1">A</h3>',
        "<strong>b</strong>",
        "<em>c</em>",
        "<s>d</s>",
        "<code>e</code>",
        "<li>f</li>",
    ):
        assert part in html
    assert '<td class="align-right">2</td>' in html
    assert "style=" not in html


def test_it_colours_code_of_a_known_language_and_shows_any_other_as_it_is() -> None:
    assert 'class="hl-k"' in markdown.render("```python\nreturn 1\n```")
    assert "<code>a &lt;b&gt;\n</code>" in markdown.render("```nonesuch\na <b>\n```")


def test_it_opens_links_elsewhere_and_only_safe_ones() -> None:
    html = markdown.render("[a](https://example.org/x) [b](mailto:a@example.org) [c](/threads/1/delete)")
    assert 'href="https://example.org/x"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'target="_blank"' in html
    assert "/threads/1/delete" not in html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>window.hit=1</script>",
        "<img src=x onerror=window.hit=1>",
        "[x](javascript:window.hit=1)",
        "[x](java&#10;script:window.hit=1)",
        "<javascript:window.hit=1>",
        "[x](data:text/html,<script>window.hit=1</script>)",
        "[x]: vbscript:hit\n\n[x]",
        "```html\n</code></pre><script>window.hit=1</script>\n```",
        '```"><script>window.hit=1</script>\nx\n```',
        "<div hx-get='/' hx-trigger='load'>x</div>",
        "|<svg onload=window.hit=1>|\n|-|\n|x|",
        '[x](https://example.org "\\" onmouseover=\\"window.hit=1")',
    ],
)
def test_it_leaves_nothing_that_runs(hostile: str) -> None:
    html = markdown.render(hostile)
    for dangerous in (
        "<script",
        "<img",
        "<svg",
        "<div hx",
        'href="javascript',
        'href="data',
        'href="vb',
        '" on',
    ):
        assert dangerous not in html.lower()


def test_it_shows_pictures_as_words_and_loads_none() -> None:
    html = markdown.render("![a chart](https://example.org/spy.png)")
    assert "a chart (https://example.org/spy.png)" in html
    assert "<img" not in html


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (r"$E = mc^2$", 1),
        (r"$$E = mc^2$$", 1),
        (r"\(a_1 * b_2 * c_3\)", 1),
        (r"\[ \sum_{i=1}^{n} x_i < y \& z \]", 1),
        ("$$\na\n- b\n= c\n$$", 1),
        ("as in\n$$\nx\n$$\nand so on", 1),
        ("\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}", 1),
        ("- item\n\n  $$\n  x_1\n  $$\n", 1),
        ("> $$\n> x_1\n> $$\n", 1),
        (r"| $x$ | \(y\) |" + "\n|-|-|\n| $a_b$ | 2 |", 3),
        (r"$x$, $y$; ($z$)", 3),
        (r"$10^{-3}$ and $3x + 1$", 2),
        # money and other dollars
        ("It costs $5 today and $10 tomorrow, ~$1,550 a year.", 0),
        ("from $5-$10, $5k/$6k, US$5 and A$6", 0),
        ("($5) against ($10), **$5**/**$6**", 0),
        ("either $5 or 6$", 0),
        (r"\$7 and \$8", 0),
        ("$PATH:$HOME and $HOME/$USER", 0),
        ("`$x$` and\n\n```\n$x$ \\(y\\)\n```", 0),
        ("$ x $ and $$ $$ and $", 0),
        (r"\[1\] and \[2, 3\] and \(see above, please\)", 0),
        # not closed
        ("$x", 0), (r"\(x", 0), (r"\[x", 0), ("$$\nx\n\nmore", 0), ("$$", 0), (r"\begin{align} x", 0),
    ],
)  # fmt: skip
def test_formulas_are_found_and_money_stays_text(text: str, formulas: int) -> None:
    assert markdown.render(text).count("<math ") == formulas


def test_what_is_no_formula_stays_as_it_was_written() -> None:
    html = markdown.render(r"It costs $5 or \$7, never \(x and \[ y_1 * y_2 * z, nor $a b$c.")
    assert html == "<p>It costs $5 or $7, never \\(x and \\[ y_1 * y_2 * z, nor $a b$c.</p>\n"


@pytest.mark.parametrize("latex", [r"\frac{a", r"x^", r"\left( x", "{" * 500, r"\def\a{b}", "x" * 4500])
def test_latex_that_cannot_be_read_stays_readable(latex: str) -> None:
    html = markdown.render(f"$${latex}$$")
    assert latex in html or "<math" in html
    assert "<p>" in html or '<div class="math-block"' in html


def test_a_formula_smuggles_nothing_in() -> None:
    for latex in (
        r"\href{javascript:window.hit=1}{x}", r"\text{<img src=x onerror=hit>}", r"\style{color:red}{x}",
        r"\text{</math><script>hit</script>}", r"\unicode{x3c}script\unicode{x3e}", r"\class{used}{x}",
    ):  # fmt: skip
        html = markdown.render(f"${latex}$ and $${latex}$$")
        for dangerous in ("href", "<img", "<script", "style=", 'class="used'):
            assert dangerous not in html


def test_text_in_a_formula_keeps_its_angle_brackets() -> None:
    assert "if&nbsp;x&lt;y" in markdown.render(r"$\text{if x<y}$")


def test_tasks_have_boxes_and_other_brackets_do_not() -> None:
    html = markdown.render(
        "- [x] **done**\n- [ ] open\n- [y] no\n- [ ]none\n\n[x] no item\n\n1. [X] numbered"
    )
    assert html.count("☑") == 2
    assert html.count("☐") == 1
    assert "[y] no" in html
    assert "[x] no item" in html


def test_bare_links_are_links_and_what_follows_them_is_not() -> None:
    html = markdown.render("See https://example.org/a_b_(c). And example.org, or https://example.org/*x*")
    assert 'href="https://example.org/a_b_(c)"' in html
    assert "(c)</a>." in html
    assert html.count("<a ") == 2


def test_marks_count_passages_in_the_order_of_their_use() -> None:
    text = "A [p40], b [p7, p40], `[p7]`, c [p8], [p7](https://example.org), d[1].\n\n| [p9] |\n|-|\n"
    shown = markdown.render_answer(text, {"7": "B", "40": "A", "9": "C"}, "/turns/" + "a" * 32 + "/passages/")
    assert shown.cited == ("40", "7", "9")
    assert shown.claims == ("A", "A [p40], b", "A [p40], b", "")
    assert shown.html.count('class="mark-number"') == 4
    assert 'href="/turns/' + "a" * 32 + '/passages/40?mark=0"' in shown.html
    assert "<code>[p7]</code>" in shown.html
    assert "c [p8]," in shown.html
    assert ">p7</a>, d[1]" in shown.html


def test_no_link_of_the_text_leads_into_the_page_itself() -> None:
    address = "/turns/" + "a" * 32 + "/passages/40?mark=0"
    html = markdown.render_answer(f"[1]({address}) [x](#top)", {"40": "A"}, "/turns/b/passages/").html
    assert "href" not in html


HOSTILE = {
    "stars": "**a**" * 19_000,
    "quotes": ">" * 20_000 + " deep",
    "quotes with lazy lines": "> " * 18 + "a\n" + "b\n" * 20_000,
    "brackets": "[" * 60_000,
    "pictures": "![" * 40_000,
    "links": "[a](" * 30_000,
    "autolinks": "<a@b.c>" * 20_000,
    "addresses": "a://" * 30_000,
    "one long line": "a" * 300_000,
    "a megabyte on one line": "a" * 1_000_000,
    "a wide table": "|a" * 3_000 + "|\n" + "|-" * 3_000 + "|\n" + "|b" * 3_000 + "|",
    "a long table": "|a" * 700 + "|\n" + "|-" * 700 + "|\n" + ("|b" * 700 + "|\n") * 40,
    "nested lists": "\n".join("  " * i + "- a" for i in range(120)),
    "lists in lists in lists": ("- " * 19 + "a\n") * 5_000,
    "many items": "- a\n" * 50_000,
    "dollars": "$a" * 40_000,
    "display dollars": "$$\na\n" * 20_000,
    "openings": "\\[\na\n" * 20_000,
    "braces": "$" + "{a" * 400 + "$ " * 3,
    "formulas": " ".join(f"$x_{{{i}}}^2 + \\frac{{{i}}}{{b}}$" for i in range(6_000)),
    "marks": "a [p4] " * 12_000,
    "unclosed code": "```python\n" + "a(\n" * 30_000,
    "blocks of code": "```python\nfor a in range(10): print(a)\n```\n\n" * 3_000,
    "one line of code": '```json\n{"a": "' + "a" * 200_000 + '"}\n```',
    "definitions": "[a]: https://example.org\n" * 20_000 + "a",
    "entities": "&amp;a" * 20_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_it_renders_hostile_input_within_two_seconds_and_leaves_nothing_out(text: str) -> None:
    started = time.thread_time()
    html = markdown.render_answer(text, {"4": "x"}, "/x/").html
    assert time.thread_time() - started < 2
    assert sum(html.count(letter) for letter in "adb") >= sum(text.count(letter) for letter in "adb") // 2


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="a *_`[]()<>$\\|-#\n!:&{}^~p4", max_size=300))
def test_any_text_becomes_html_that_is_clean(text: str) -> None:
    html = markdown.render_answer(text, {"4": "x"}, "/turns/" + "a" * 32 + "/passages/").html
    # Nothing in it means something else to a browser than to the cleaner.
    assert cleaned(str(html)) == html


def test_every_beginning_of_an_answer_renders() -> None:
    text = (
        "It costs $5 today.\n\nInline \\(a_1 * b_2\\):\n\n\\[ \\sum_{i=1}^{n} x_i < y \\& z \\]\n\n"
        "$$ E = mc^2 $$ and `$HOME` [p4].\n\n```latex\n\\[ x_1 \\]\n```\n\n|a|\n|-|\n|b|\n\n- [ ] c\n"
    )
    for end in range(len(text)):
        html = markdown.render(text[:end])
        assert "hl-err" not in html
        assert end < 20 or "$5 today" in html


def test_code_beyond_the_limits_is_code_all_the_same() -> None:
    for code in ("x = 1\n" * 5_000, "y" * 2_000, "(" * 5_000):
        html = markdown.render(f"```python\n{code}\n```")
        assert '<pre class="code"' in html
        assert "hl-" not in html
    assert "hl-" not in markdown.render("```aspx-cs\n<% x %>\n```")
    assert "hl-" in markdown.render("```matlab\nx = 1 % one\n```")


def test_a_block_that_cannot_be_rendered_leaves_the_others_alone() -> None:
    html = markdown.render("**one**\n\n" + "> " * 60 + "deep\n\n**two**")
    assert "<strong>one</strong>" in html
    assert "<strong>two</strong>" in html
    assert '<div class="plain">' in html


def test_it_keeps_text_that_is_nested_too_deeply() -> None:
    assert "deepest" in markdown.render("> " * 200 + "deepest")
    assert "deepest" in markdown.render("\n".join("  " * i + f"- {i}" for i in range(60)) + " deepest")
