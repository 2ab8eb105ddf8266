"""Which lines of a passage a claim rests on."""

import time

import pytest

from researchassist.chat.highlight import pieces

PASSAGE = (
    "# Kestrel\n\nTiered ledgers cut resumption errors by 41% on synthetic tasks. Rain fell all day.\n"
    "What stays open is how ledgers behave when two agents write at once. It cost 3.5 days."
)


def marked(claim: str, text: str = PASSAGE) -> list[str]:
    found = pieces(text, claim)
    assert "".join(piece.text for piece in found) == text
    return [piece.text for piece in found if piece.marked]


@pytest.mark.parametrize(
    ("claim", "lines"),
    [
        # quoted, as far as the words are the passage's
        (
            "It says “cut resumption errors by 41% on synthetic tasks”",
            ["cut resumption errors by 41% on synthetic tasks"],
        ),
        # in other words: the sentence that shares most
        (
            "How two agents write is left open",
            ["What stays open is how ledgers behave when two agents write at once."],
        ),
        (
            "Resumption errors fall with tiers of ledgers",
            ["Tiered ledgers cut resumption errors by 41% on synthetic tasks."],
        ),
        # nothing of it stands there
        ("Brazil won the cup in Paris", []),
        ("ledgers", []),
        ("", []),
        ("the of and it is", []),
    ],
)  # fmt: skip
def test_it_marks_what_the_claim_quotes_or_else_the_nearest_sentence(claim: str, lines: list[str]) -> None:
    assert marked(claim) == lines


def test_a_number_with_a_point_is_no_end_of_a_sentence() -> None:
    assert marked("It took days and cost 3.5 days") == ["It cost 3.5 days."]


@pytest.mark.parametrize(
    "text", ["word " * 2_000, "." * 10_000, "a." * 5_000, "\n" * 10_000, "ledger " * 2_000]
)
def test_a_long_passage_takes_no_time(text: str) -> None:
    started = time.thread_time()
    assert "".join(piece.text for piece in pieces(text, "word ledger errors " * 40)) == text
    assert time.thread_time() - started < 2
