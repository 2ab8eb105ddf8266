"""Answers as HTML: what is rendered, what is taken away, and that it never takes long."""

import time

import pytest

from researchassist.chat import markdown


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
    "text",
    [
        "**a**" * 19_000,
        ">" * 20_000 + " deep",
        "[" * 60_000,
        "a" * 300_000,
        "|a" * 3_000 + "|\n" + "|-" * 3_000 + "|\n" + "|b" * 3_000 + "|",
        "\n".join("  " * i + "- a" for i in range(120)),
    ],
)
def test_it_renders_hostile_input_within_two_seconds_and_leaves_nothing_out(text: str) -> None:
    started = time.monotonic()
    html = markdown.render(text)
    assert time.monotonic() - started < 2
    assert sum(html.count(letter) for letter in "adb") >= sum(text.count(letter) for letter in "adb") // 2


def test_it_keeps_text_that_is_nested_too_deeply() -> None:
    assert "deepest" in markdown.render("> " * 200 + "deepest")
    assert "deepest" in markdown.render("\n".join("  " * i + f"- {i}" for i in range(60)) + " deepest")
