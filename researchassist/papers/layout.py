"""The order in which the lines of a page are read, and the paragraphs they make. Pure functions.

Columns are told apart by a gutter that few lines cross: lines that cross it divide the page into
bands, and within a band the left column comes before the right one, however the file orders them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

# Where a gutter may be: this share of the region's width from either edge.
_GUTTER_FROM = 0.2
_GUTTER_STEP = 2.0
_FEWEST_LINES = 3
# Narrower text side by side is a table, which is read row by row.
_COLUMN_CHARS = 10
_MOST_CROSSING = 0.5
_DEEPEST = 3
# Head and foot of a page, and the blank there that sets a running line apart, in line heights.
_MARGIN = 0.09
_MARGIN_GAP = 0.7
_SENTENCE_END = '.!?:;。！？"”)'


@dataclass(frozen=True)
class Line:
    """One line of type and its box; the origin is the page's upper left corner."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    bold: bool = False


@dataclass(frozen=True)
class PageText:
    """A page's paragraphs, each a list of its lines, and the lines at its head and foot."""

    paragraphs: list[list[str]]
    head: list[str]
    foot: list[str]


def read(lines: Sequence[Line], height: float) -> PageText:
    """The page's text in reading order; `height` is the page's."""
    rows = _rows(lines)
    head = _edge(rows, height)
    foot = _edge(rows[len(head) :][::-1], height, bottom=True)[::-1]
    body = [line for row in rows[len(head) : len(rows) - len(foot)] for line in row]
    paragraphs: list[list[str]] = []
    for region in _regions(body, 0):
        new = _paragraphs(region)
        if paragraphs and new and _continues(paragraphs[-1][-1], new[0][0]):
            paragraphs[-1] += new.pop(0)
        paragraphs += new
    return PageText(paragraphs, [_joined(row).text for row in head], [_joined(row).text for row in foot])


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that stand beside each other, from the top down, each row from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: (one.y0 + one.y1, one.x0)):
        middle = (line.y0 + line.y1) / 2
        last = rows[-1][-1] if rows else None
        if last is not None and abs((last.y0 + last.y1) / 2 - middle) <= 0.4 * min(last.size, line.size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda one: one.x0) for row in rows]


def _edge(rows: Sequence[list[Line]], height: float, *, bottom: bool = False) -> list[list[Line]]:
    """The rows at the page's head (or foot, rows then from the bottom up) set apart by a blank."""
    found: list[list[Line]] = []
    for number, row in enumerate(rows[:4]):
        top, low = min(line.y0 for line in row), max(line.y1 for line in row)
        inside = top > (1 - _MARGIN) * height if bottom else low < _MARGIN * height
        if not inside:
            break
        if number + 1 < len(rows):
            other = rows[number + 1]
            gap = top - max(line.y1 for line in other) if bottom else min(line.y0 for line in other) - low
            if gap > _MARGIN_GAP * row[0].size:
                found = list(rows[: number + 1])
        else:
            found = list(rows[: number + 1])
    return found


def _regions(lines: Sequence[Line], depth: int) -> list[list[Line]]:
    """The lines in reading order, in runs that one column or band holds."""
    gutter = _gutter(lines) if depth < _DEEPEST else None
    if gutter is None:
        return [[_joined(row) for row in _rows(lines)]] if lines else []
    regions: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []
    wide: list[Line] = []

    def close_columns() -> None:
        regions.extend(_regions(left, depth + 1) + _regions(right, depth + 1))
        left.clear()
        right.clear()

    for line in sorted(lines, key=lambda one: (one.y0 + one.y1) / 2):
        if line.x0 < gutter - 1 and line.x1 > gutter + 1:
            if left or right:
                close_columns()
            wide.append(line)
            continue
        if wide:
            regions.append([_joined(row) for row in _rows(wide)])
            wide = []
        (left if line.x1 <= gutter + 1 else right).append(line)
    close_columns()
    if wide:
        regions.append([_joined(row) for row in _rows(wide)])
    return regions


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x between two columns, or None where the lines are one column."""
    if len(lines) < 2 * _FEWEST_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    width = right - left
    total = sum(len(line.text) for line in lines)
    best: tuple[int, float, float] | None = None
    x = left + _GUTTER_FROM * width
    while x <= right - _GUTTER_FROM * width:
        crossing = sum(len(line.text) for line in lines if line.x0 < x - 1 and line.x1 > x + 1)
        off_middle = abs(x - (left + right) / 2)
        if best is None or (crossing, off_middle) < best[:2]:
            best = (crossing, off_middle, x)
        x += _GUTTER_STEP
    if best is None or best[0] > _MOST_CROSSING * total:
        return None
    return best[2] if _are_columns(lines, best[2]) else None


def _are_columns(lines: Sequence[Line], x: float) -> bool:
    """Whether running text stands side by side on both sides of `x`."""
    sides = [
        [line for line in lines if line.x1 <= x + 1],
        [line for line in lines if line.x0 >= x - 1],
    ]
    if any(len(side) < _FEWEST_LINES for side in sides):
        return False
    if any(median(len(line.text) for line in side) < _COLUMN_CHARS for side in sides):
        return False
    low = max(min(line.y0 for line in side) for side in sides)
    high = min(max(line.y1 for line in side) for side in sides)
    return high - low > _FEWEST_LINES * 0.8 * median(line.size for line in lines)


def _joined(row: Sequence[Line]) -> Line:
    """The pieces of one row as one line."""
    if len(row) == 1:
        return row[0]
    return replace(
        row[0],
        text=" ".join(line.text.strip() for line in row),
        x1=max(line.x1 for line in row),
        y0=min(line.y0 for line in row),
        y1=max(line.y1 for line in row),
        size=max(line.size for line in row),
    )


def _paragraphs(lines: Sequence[Line]) -> list[list[str]]:
    """The lines of one region, in paragraphs."""
    steps = [two.y0 - one.y0 for one, two in pairwise(lines) if two.y0 > one.y0]
    step = median(steps) if steps else 0.0
    edge, end = (min(line.x0 for line in lines), max(line.x1 for line in lines)) if lines else (0.0, 0.0)
    paragraphs: list[list[str]] = []
    last: Line | None = None
    for line in lines:
        if last is None or _begins(line, last, step, edge, end):
            paragraphs.append([])
        paragraphs[-1].append(line.text)
        last = line
    return paragraphs


def _begins(line: Line, last: Line, step: float, edge: float, end: float) -> bool:
    """Whether `line` begins a paragraph after `last`."""
    if abs(line.size - last.size) > 0.12 * last.size or line.bold != last.bold:
        return True
    if step and line.y0 - last.y0 > 1.35 * max(step, line.size):
        return True
    indented = line.x0 - edge > 0.7 * line.size and last.x0 - edge < 0.3 * line.size
    short = last.x1 < end - 0.15 * (end - edge) and last.text.rstrip()[-1:] in _SENTENCE_END
    return indented or short


def _continues(before: str, after: str) -> bool:
    """Whether a sentence runs on from the end of one region into the next."""
    return before.rstrip()[-1:] not in _SENTENCE_END and after.lstrip()[:1].islower()
