import pytest

from researchassist.papers.identify import identifiers


@pytest.mark.parametrize(
    "name",
    [
        "2310.08560",
        "arXiv:2310.08560v2",
        "hep-th/9901001",
        "math.GT/0309136",
        "10.1145/3292500.3330701",
        "10.1000/xyz(2020)12:3",
        "https://example.org/a/b?c=d#e",
        "notes.md",
        "src/agent/turn.py",
        "report-final_2.pdf",
        "model.safetensors",
        "ERR_1042",
        "KX-2025-011",
        "E404",
        "CVE-2024-3094",
        "v1.2.3",
        "5.2.19",
        "2.0.0-rc.1",
        "2026-03-01",
        "3 March 2026",
        "March 3, 2026",
        "41%",
        "41 %",
        "1,500 characters",
        "256,000 tokens",
        "128 000 tokens",
        "7.5 ms",
        "80 GB",
        "3.2 kWh",
        "$4.50",
        "€ 12",
        "20 °C",
        "5 µm",
    ],
)
@pytest.mark.parametrize("sentence", ["See {}, it says.", "({})", "{}", "It is {}."])
def test_an_identifier_is_found_whole(name: str, sentence: str):
    assert name in identifiers(sentence.format(name))


@pytest.mark.parametrize(
    "text", ["", "Owls hunt at night.", "A plain sentence, and 3 owls.", "e.g. this; i.e. that"]
)
def test_plain_words_are_none(text: str):
    assert identifiers(text) == []


def test_each_is_named_once_in_its_order():
    text = "See b.md, then a.md, then b.md again on 2026-03-01."
    assert identifiers(text) == ["b.md", "a.md", "2026-03-01"]


def test_it_is_quick_on_long_odd_text():
    import time

    started = time.monotonic()
    for text in (
        "a" * 6000,
        "1" * 6000,
        "a-" * 3000,
        "a/" * 3000,
        "A1-" * 2000,
        "10.1234/" * 700,
        "." * 6000,
    ):
        identifiers(text)
    assert time.monotonic() - started < 2


def test_a_number_inside_a_word_is_no_amount():
    assert identifiers("The word abc12 ms is odd.") == []


def test_a_title_in_quotation_marks_is_one_and_so_is_what_stands_in_it():
    text = 'Read “Sleep-time Compute v1.2.3 for Agents” and "MemGPT: Towards LLMs" by eve@example.org.'
    assert identifiers(text) == [
        "“Sleep-time Compute v1.2.3 for Agents”",
        "v1.2.3",
        '"MemGPT: Towards LLMs"',
        "eve@example.org",
    ]


def test_quoted_words_and_speech_are_no_titles():
    assert identifiers('He said "yes of course" and meant "Owls".') == []
