"""How tokens of Markdown are written as HTML where it differs from the library's way.

Tables, code and formulas scroll in boxes of their own, which the keyboard reaches; alignment is a
class, code has its language's colours, pictures are their words. What is written here is cleaned
afterwards (cleaning.py).
"""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from .citations import Citing
from .code import highlighted
from .maths import mathml

_SCHEMES = ("http://", "https://", "mailto:")
_ALIGNED = re.compile(r"^text-align:(left|center|right)$")
_ENDLESS = re.compile(r"\S{200}")
_TASK = re.compile(r"\[([ xX])\](?=\s)")
# Under "You" and "Answer"; which levels a text uses, and in which order, is not known in advance.
_HEADING = "h3"
_BOXES = {" ": "☐", "x": "☑", "X": "☑"}


class Elements(RendererHTML):
    """The renderer; each method writes the token of its name."""

    def text(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Words; one without end may be broken here and there, or a browser lays it out for a minute."""
        content = _ENDLESS.sub(lambda piece: f"{piece.group()}\0", tokens[idx].content)
        return escapeHtml(content).replace("\0", "<wbr>")

    def heading_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """A heading of the answer stands below the page's own; its level in the text is how it looks."""
        return f'<{_HEADING} class="level-{tokens[idx].tag[1:]}">'

    def heading_close(self, *_: Any) -> str:
        """Its end."""
        return f"</{_HEADING}>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link opens in a tab of its own; one to anything but the web or mail is its words alone."""
        token = tokens[idx]
        token.attrSet("target", "_blank")
        if not str(token.attrGet("href")).lower().startswith(_SCHEMES):
            token.attrs = {}
        return self.renderToken(tokens, idx, options, env)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The alternative text and the address: a picture would be fetched from elsewhere."""
        token = tokens[idx]
        words = self.renderInlineAsText(token.children or [], options, env)
        address = str(token.attrGet("src") or "")
        shown = f"{words} ({address})" if words and address else words or address
        return f'<span class="image">{escapeHtml(shown)}</span>'

    def fence(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """A block of code, highlighted where its language is named and known, and there is time."""
        token = tokens[idx]
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        coloured = bool(language) and not env["clock"].is_spent()
        code = highlighted(token.content, language) if coloured else escapeHtml(token.content)
        named = f' data-language="{escapeHtml(language)}"' if language else ""
        return f'<pre class="code" tabindex="0"{named}><code>{code}</code></pre>\n'

    def code_block(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Indented code."""
        return f'<pre class="code" tabindex="0"><code>{escapeHtml(tokens[idx].content)}</code></pre>\n'

    def table_open(self, *_: Any) -> str:
        """A table in a box of its own, which scrolls."""
        return '<div class="table" tabindex="0"><table>\n'

    def table_close(self, *_: Any) -> str:
        """The end of the table and its box."""
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """A head cell."""
        return _cell(tokens[idx])

    def td_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """A cell."""
        return _cell(tokens[idx])

    def math_inline(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """A formula in a line."""
        return _formula(tokens[idx], env, display=False)

    def math_display(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """A formula that stands in a paragraph and takes a line of its own."""
        return _formula(tokens[idx], env, display=True)

    def math_block(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """A formula on lines of its own."""
        return f'<div class="math-block" tabindex="0">{_formula(tokens[idx], env, display=True)}</div>\n'

    def citation(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """A mark that opens its passage; while the answer is being written, its number alone."""
        meta, citing = tokens[idx].meta, env["citing"]
        return f'<sup class="citation">{_mark(meta, citing)}</sup>'


def mark_tasks(state: StateCore) -> None:
    """Boxes in place of `[ ]` and `[x]` at the beginning of list items."""
    tokens = state.tokens
    for item, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (item.type, paragraph.type, inline.type) != ("list_item_open", "paragraph_open", "inline"):
            continue
        found, first = _TASK.match(inline.content), next(iter(inline.children or ()), None)
        if found and first and first.type == "text" and first.content.startswith(found.group()):
            first.content = _BOXES[found.group(1)] + first.content[len(found.group()) :]
            item.attrJoin("class", "task")


def _cell(token: Token) -> str:
    aligned = _ALIGNED.match(str(token.attrGet("style") or ""))
    return f'<{token.tag} class="align-{aligned.group(1)}">' if aligned else f"<{token.tag}>"


def _formula(token: Token, env: EnvType, *, display: bool) -> str:
    env["clock"].look()
    kind = "math-display" if display else "math"
    converted = mathml(token.content, display=display)
    if converted and token.meta.get("closed", True):
        return f'<span class="{kind}">{converted}</span>'
    return f'<span class="{kind} latex">{escapeHtml(token.meta["written"])}</span>'


def _mark(meta: dict[str, Any], citing: Citing) -> str:
    number = meta["number"]
    if not citing.address:
        return f'<span class="mark-number">{number}</span>'
    label = escapeHtml(f"Source {number}: {citing.given[meta['id']]}")
    address = escapeHtml(f"{citing.address}{meta['id']}?mark={meta['at']}")
    return f'<a class="mark-number" href="{address}" title="{label}" aria-label="{label}">{number}</a>'
