"""An answer as a row of blocks (paragraphs, lists, tables, code …), each HTML of its own.

Blocks are what a text is rendered by, whole or while it is being written: a block that another one
follows is finished, and later text cannot change it. Each renders within limits or as plain text.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from .citations import Citing
from .cleaning import cleaned
from .clock import Clock, TooLong
from .maths import BLOCK
from .parser import DEEPEST, parser

log = logging.getLogger(__name__)

# Emphasis marks that pair with each other are matched after the parser's last step.
_MOST_MARKS = 20_000
_MARKS = re.compile(r"[*_~]")
_LINE_ENDS = re.compile(r"\r\n?")


# What an empty line ends for good; a list may go on after it, and so may indented code.
_ENDED_BY_BLANK = {*("paragraph_open", "heading_open", "blockquote_open", "table_open", "fence", "hr", BLOCK)}


@dataclass(frozen=True)
class Block:
    """One block: its tokens, where its text lies in the source (character offsets), and whether it
    is finished: followed by another block, or by an empty line that ends it."""

    tokens: Sequence[Token]
    start: int
    end: int
    finished: bool


def normalized(text: str) -> str:
    """`text` with LF as its line end and without NUL, as the parser takes it."""
    return _LINE_ENDS.sub("\n", text).replace("\0", "\ufffd")


def environment(citing: Citing | None = None, *, seconds: float, is_open: bool = False) -> dict[str, Any]:
    """What the parser carries along. `is_open`: the text is still being written."""
    return {"clock": Clock(seconds), "citing": citing, "open": is_open}


def blocks_of(source: str, env: dict[str, Any]) -> list[Block]:
    """The blocks of a normalized text, in order and without gaps; none where it holds only blank lines
    and link definitions. Raises TooLong."""
    tokens: list[Token] = []
    parser.block.parse(source, parser, env, tokens)
    groups = _top_level(tokens)
    lines = _line_starts(source)
    starts = [0, *(lines[group[0].map[0]] for group in groups[1:] if group[0].map)][: len(groups)]
    ends = [*starts[1:], len(source)][: len(groups)]
    blocks = [
        Block(group, start, end, finished=True)
        for group, start, end in zip(groups, starts, ends, strict=True)
    ]
    if blocks:
        last = blocks[-1]
        blocks[-1] = replace(last, finished=_is_ended(last, source, lines))
        if _is_open_formula(last) and len(blocks) > 1 and source[: last.start].rstrip(" \t")[-2:] != "\n\n":
            # Where it turns out to be no formula, it belongs to the text above.
            blocks[-2] = replace(blocks[-2], finished=False)
    return blocks


def _is_open_formula(block: Block) -> bool:
    return block.tokens[0].type == BLOCK and not block.tokens[0].meta["closed"]


def _is_ended(last: Block, source: str, lines: Sequence[int]) -> bool:
    """Whether the last block is followed by an empty line that ends it, and by nothing else."""
    first = last.tokens[0]
    if (
        first.type not in _ENDED_BY_BLANK
        or _is_open_formula(last)
        or not first.map
        or first.map[1] >= len(lines)
    ):
        return False
    rest = source[lines[first.map[1]] :]
    return rest.endswith("\n") and not rest.strip()


def html_of(block: Block, source: str, env: dict[str, Any]) -> str:
    """One block as clean HTML; as plain text where it cannot be rendered in good time."""
    text = source[block.start : block.end]
    if max(token.level for token in block.tokens) >= DEEPEST or len(_MARKS.findall(text)) > _MOST_MARKS:
        return plain(text)
    try:
        if block.tokens[0].type != "fence":
            env["clock"].look()
        state = StateCore(source, parser, env, list(block.tokens))
        parser.core.process(state)
        return cleaned(str(parser.renderer.render(state.tokens, parser.options, env)))
    except TooLong:
        return plain(text)
    except Exception:
        log.warning("A part of an answer could not be rendered and is shown as plain text.", exc_info=True)
        return plain(text)


def plain(text: str) -> str:
    """`text` escaped, with its line breaks."""
    return f'<div class="plain">{escapeHtml(text.strip(chr(10)))}</div>'


def _top_level(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens of each block: from one that opens at the top to the one that closes it."""
    groups: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            groups.append([])
        groups[-1].append(token)
        depth += token.nesting
    return groups


def _line_starts(source: str) -> list[int]:
    starts = [0]
    while (place := source.find("\n", starts[-1])) >= 0:
        starts.append(place + 1)
    return starts
