"""A made-up paper as a PDF: two columns, twelve pages, a figure, references, running head and foot."""

from functools import cache

import pymupdf

SENTENCE = "The barn owl remembers exactly 412 hiding places through the winter."
PAGES = 12


@cache
def two_column_paper(subject: str = "owl") -> bytes:
    """The paper. Words of the left column are "left …", of the right one "right …"; with another subject
    no passage of its pages is the same."""
    document = pymupdf.open()
    for number in range(1, PAGES + 1):
        page = document.new_page(width=612, height=792)
        page.insert_text((54, 36), "Nordmann et al. — A Study of Streaming Memory", fontsize=8)
        page.insert_text((300, 770), str(number), fontsize=8)
        top = _front(page) if number == 1 else 72
        if number == 5:
            page.draw_rect((60, 80, 290, 180))
            page.insert_text((60, 195), "Figure 1: Recall over time for owls.", fontsize=8)
            top = 220
        if number == PAGES:
            _references(page)
            continue
        for column, x in ((1, 54), (2, 316)):
            page.insert_textbox((x, top, x + 242, 740), _column(number, column, subject), fontsize=10)
        if number == 2:
            page.insert_text((54, 700), "The consoli-", fontsize=10)
            page.insert_text((54, 712), "dation of remembered places needs long-", fontsize=10)
            page.insert_text((54, 724), "term storage and long-term care.", fontsize=10)
    data: bytes = document.tobytes()
    return data


def _front(page: pymupdf.Page) -> int:
    page.insert_text((150, 80), "Streaming Memory for Night Owls", fontsize=18)
    page.insert_text((190, 104), "Alice Nordmann, Bo Li and Charlie Doe", fontsize=11)
    page.insert_text((220, 120), "University of the Night", fontsize=10)
    page.insert_text((20, 500), "arXiv:2402.01234v1  [cs.AI]  12 Feb 2024", fontsize=14, rotate=90)
    abstract = (
        "Abstract. We show how owls remember. " + "The abstract goes over the whole width of the page. " * 4
    )
    page.insert_textbox((54, 135, 558, 200), abstract + "https://doi.org/10.1234/owls.5678", fontsize=10)
    return 220


def _column(number: int, column: int, subject: str) -> str:
    side = "left" if column == 1 else "right"
    body = " ".join(f"The {side} {subject} of sentence {n} sleeps by day." for n in range(1, 27))
    begin = f"Page {number} column {column} begins here. "
    return begin + (f"{SENTENCE} " if (number, column) == (7, 2) else "") + body


def _references(page: pymupdf.Page) -> None:
    for column, x in ((0, 54), (1, 316)):
        lines = [
            f"[{n + 10 * column}] A. Author and B. Writer. Owls remember. 20{n:02}." for n in range(1, 11)
        ]
        page.insert_textbox((x, 72, x + 242, 740), "\n".join(lines), fontsize=10)
