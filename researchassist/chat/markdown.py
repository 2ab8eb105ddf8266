"""Answers as HTML: Markdown rendered, then cleaned. The one place that marks HTML as safe.

Text from a model or a document can neither run anything nor load anything from elsewhere.
"""

import logging
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

log = logging.getLogger(__name__)

NOTHING = SafeString("")

_LONGEST = 100_000
# Emphasis marks that pair with each other cost the square of their number.
_MOST_MARKS = 20_000
_LONGEST_HIGHLIGHTED = 20_000
# The parser leaves out what is nested 20 deeper still; this is shown as plain text instead.
_DEEPEST = 40

_MARKS = re.compile(r"[*_~`\[\]<]")
_ALIGNED = re.compile(r"^text-align:(left|center|right)$")
_CLASS = re.compile(r"^(?:hl-[a-z0-9]{1,4}|align-(?:left|center|right)|code|table|image)$")
_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote"),
    *("em", "strong", "s", "a", "code", "pre", "span", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_CLASSED = ("span", "div", "th", "td", "pre")


def render(text: str) -> SafeString:
    """`text` as clean HTML; as plain text where it cannot be rendered in good time."""
    if len(text) > _LONGEST or len(_MARKS.findall(text)) > _MOST_MARKS:
        return plain(text)
    return _rendered(text)


def plain(text: str) -> SafeString:
    """`text` escaped, with its line breaks."""
    return mark_safe(f'<div class="plain">{escape(text)}</div>')  # noqa: S308  (escaped)


@lru_cache(maxsize=512)
def _rendered(text: str) -> SafeString:
    try:
        tokens = _markdown.parse(text)
        if any(token.level >= _DEEPEST for token in tokens):
            return plain(text)
        html = str(_markdown.renderer.render(tokens, _markdown.options, {}))
        return mark_safe(_cleaned(html))  # noqa: S308  (cleaned)
    except Exception:
        log.warning("An answer could not be rendered and is shown as plain text.", exc_info=True)
        return plain(text)


def _cleaned(html: str) -> str:
    """What is left of `html` under the allowlist; links open elsewhere and tell nothing."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={tag: {"class"} for tag in _CLASSED} | {"a": {"href", "title"}, "ol": {"start"}},
        attribute_filter=_kept_attribute,
        # What scrolls sideways can be reached by keyboard.
        set_tag_attribute_values={
            "a": {"target": "_blank"},
            "pre": {"tabindex": "0"},
            "div": {"tabindex": "0"},
        },
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
    )


def _kept_attribute(_tag: str, name: str, value: str) -> str | None:
    if name != "class":
        return value
    return " ".join(part for part in value.split() if _CLASS.match(part)) or None


class _Renderer(RendererHTML):
    """Tables that scroll, alignment by class, code in colour, pictures as their words."""

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The alternative text and the address: a picture would be fetched from elsewhere."""
        token = tokens[idx]
        words = self.renderInlineAsText(token.children or [], options, env)
        address = str(token.attrGet("src") or "")
        shown = f"{words} ({address})" if words and address else words or address
        return f'<span class="image">{escapeHtml(shown)}</span>'

    def fence(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """A block of code, highlighted where its language is named and known."""
        token = tokens[idx]
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        return f'<pre class="code"><code>{_highlighted(token.content, language)}</code></pre>\n'

    def code_block(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Indented code."""
        return f'<pre class="code"><code>{escapeHtml(tokens[idx].content)}</code></pre>\n'

    def table_open(self, *_: Any) -> str:
        """A table in a box of its own, which scrolls."""
        return '<div class="table"><table>\n'

    def table_close(self, *_: Any) -> str:
        """The end of the table and its box."""
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """A head cell."""
        return _cell(tokens[idx])

    def td_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """A cell."""
        return _cell(tokens[idx])


def _cell(token: Token) -> str:
    aligned = _ALIGNED.match(str(token.attrGet("style") or ""))
    return f'<{token.tag} class="align-{aligned.group(1)}">' if aligned else f"<{token.tag}>"


def _highlighted(code: str, language: str) -> str:
    if not language or len(code) > _LONGEST_HIGHLIGHTED:
        return escapeHtml(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escapeHtml(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix="hl-")))


_markdown = MarkdownIt(
    "commonmark", {"html": False, "maxNesting": _DEEPEST + 20}, renderer_cls=_Renderer
).enable(["table", "strikethrough"])
