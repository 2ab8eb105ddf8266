r"""Formulas: finding them between `$…$`, `$$…$$`, `\(…\)`, `\[…\]`, and writing them as MathML.

Amounts of money stay text, and what cannot be converted stays exactly as it was written.
"""

import re
from functools import lru_cache
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

INLINE, DISPLAY, BLOCK = "math_inline", "math_display", "math_block"

_LONGEST_INLINE = 1_000
_LONGEST_DISPLAY = 4_000
_MOST_LINES = 100
# The converter calls itself for each brace; a formula nests a few.
_DEEPEST = 40

_BRACKETS = {"(": (r"\)", INLINE), "[": (r"\]", DISPLAY)}
_BLOCK_START = re.compile(
    r"\$\$|\\\[|\\begin\{((?:equation|align|aligned|alignat|array|cases|dcases|eqnarray|gather|gathered|multline|split|[bpvBV]?matrix)\*?)\}"
)
# What stands in escaped brackets that are none of LaTeX: "\[1\]", "\[1, 2\]".
_NUMBERS_ALONE = re.compile(r"[\d\s,;–-]*\Z")
# A word that is no command of LaTeX: "5 and 10", "HOME or PATH".
_WORD = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}(?![A-Za-z}])")
_LATEX = re.compile(r"[\\^_{}=]")
_WORDS_OF_PROSE = 3
_ENTITY = re.compile(r"&amp;(#x[0-9A-Fa-f]{1,6};)")


def add_maths(md: MarkdownIt) -> None:
    """Teaches a parser to find formulas, before it looks for anything else in them."""
    md.inline.ruler.before("escape", "math_brackets", _brackets)
    md.inline.ruler.before("escape", "math_dollars", _dollars)
    md.block.ruler.before(
        "fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


@lru_cache(maxsize=2048)
def mathml(latex: str, *, display: bool) -> str:
    """A formula as MathML; empty where it cannot be converted or nothing of it would be left."""
    if len(latex) > _LONGEST_DISPLAY or _depth(latex) > _DEEPEST:
        return ""
    try:
        element = convert_to_element(latex.strip(), display="block" if display else "inline")
    except Exception:  # noqa: BLE001  (its errors are many and of no common root)
        return ""
    if not "".join(element.itertext()).strip():
        return ""
    # The converter writes characters as references, which must not be escaped a second time.
    return _ENTITY.sub(r"&\1", tostring(element, encoding="unicode"))


def _depth(latex: str) -> int:
    deepest = depth = 0
    for char in latex:
        depth += (char == "{") - (char == "}")
        deepest = max(deepest, depth)
    return deepest


def _brackets(state: StateInline, silent: bool) -> bool:
    r"""`\(…\)` and `\[…\]`; one that is not closed is left as it was written, backslash and all."""
    opening = state.src[state.pos : state.pos + 2]
    if len(opening) < 2 or opening[0] != "\\" or opening[1] not in "()[]":
        return False
    closing, kind = _BRACKETS.get(opening[1], ("", ""))
    longest = _LONGEST_INLINE if kind == INLINE else _LONGEST_DISPLAY
    start = state.pos + 2
    end = state.src.find(closing, start, min(start + longest, state.posMax)) if closing else -1
    formula = state.src[start:end] if end >= 0 else ""
    if closing and end < 0:
        return _as_written(state, opening, silent)
    if not formula.strip() or opening in formula or _is_no_latex(formula):
        return False
    _push(state, kind, formula, (opening, closing), silent)
    state.pos = end + 2
    return True


def _is_no_latex(text: str) -> bool:
    """Whether escaped brackets hold numbers or prose and mean brackets, as CommonMark has it."""
    words = len(_WORD.findall(text))
    return bool(_NUMBERS_ALONE.match(text)) or (words > 1 and not _LATEX.search(text))


def _as_written(state: StateInline, text: str, silent: bool) -> bool:
    """Keeps the backslash too: an edge of a formula that has no other."""
    if not silent:
        state.append_pending(text)
    state.pos += len(text)
    return True


def _dollars(state: StateInline, silent: bool) -> bool:
    """`$…$` and `$$…$$`. The next dollar decides: an amount is followed by no closing one."""
    src, pos = state.src, state.pos
    if src[pos] != "$":
        return False
    marker = "$$" if src.startswith("$$", pos) else "$"
    start = pos + len(marker)
    end = _next_dollar(src, start, min(start + _LONGEST_DISPLAY, state.posMax), marker)
    if end < 0:
        return False
    formula = src[start:end]
    before, after = src[pos - 1 : pos], src[end + len(marker) : end + len(marker) + 1]
    if not formula.strip() or (marker == "$" and not _is_formula(formula, before, after)):
        return False
    _push(state, DISPLAY if marker == "$$" else INLINE, formula, (marker, marker), silent)
    state.pos = end + len(marker)
    return True


def _next_dollar(src: str, start: int, stop: int, marker: str) -> int:
    """Where the next dollar stands that no backslash escapes, if it is the marker; else -1."""
    place = src.find("$", start, stop)
    while place > start and src[place - 1] == "\\":
        place = src.find("$", place + 1, stop)
    return place if place >= 0 and src.startswith(marker, place) else -1


def _is_formula(formula: str, before: str, after: str) -> bool:
    if len(formula) > _LONGEST_INLINE or formula[0].isspace() or formula[-1].isspace():
        return False
    if before.isalnum() or after.isalnum() or before == "$" or after == "$":
        return False
    words = len(_WORD.findall(formula))
    prose = 1 if formula[0].isdigit() else _WORDS_OF_PROSE
    return words < prose or bool(_LATEX.search(formula))


def _push(state: StateInline, kind: str, formula: str, marks: tuple[str, str], silent: bool) -> None:
    if silent:
        return
    token = state.push(kind, "math", 0)
    token.content = formula
    token.meta = {"written": f"{marks[0]}{formula}{marks[1]}"}


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula on lines of its own, opened at a line's beginning and closed at a line's end.

    It ends at an empty line. While a text is still being written (env "open") one that reaches the
    end without having been closed is kept open, as a fence is.
    """
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    found = _BLOCK_START.match(state.src, begin, state.eMarks[start])
    if found is None:
        return False
    opening = found.group()
    closing = {"$$": "$$", r"\[": r"\]"}.get(opening, rf"\end{{{found.group(1)}}}")
    line, place = _closing_line(state, start, end, found.end(), closing)
    is_open = bool(state.env.get("open")) and line >= state.lineMax and state.level == 0
    if place < 0 and not is_open:
        return False
    if silent:
        return True
    token = state.push(BLOCK, "math", 0)
    last = min(line, end - 1)
    written = state.getLines(start, last + 1, state.sCount[start], False).strip()
    inner = written.removeprefix(opening).removesuffix(closing)
    token.content = written if found.group(1) else inner
    token.meta = {"written": written, "closed": place >= 0}
    token.map = [start, last + 1]
    token.block = True
    state.line = last + 1
    return True


def _closing_line(state: StateBlock, start: int, end: int, after: int, closing: str) -> tuple[int, int]:
    """The line that closes a block and where in it, or the first line that is none of it and -1."""
    for line in range(start, min(end, start + _MOST_LINES)):
        begin = after if line == start else state.bMarks[line] + state.tShift[line]
        if line > start and (state.isEmpty(line) or state.sCount[line] < state.blkIndent):
            return line, -1
        place = state.src.find(closing, begin, state.eMarks[line])
        if place >= 0:
            rest = state.src[place + len(closing) : state.eMarks[line]].strip()
            return (line, -1) if rest.strip(".,;:") or place == after == begin else (line, place)
    return min(end, start + _MOST_LINES), -1
