import re
import time
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.memory.embedding import packaged
from researchassist.papers.chunking import Chunk, split

ODD = st.text(
    st.one_of(
        st.sampled_from(
            ["a", " ", "\n", "\n\n", "word ", ". ", "日本", "。", "👩‍👩‍👧", "é", "# ", "\t", "|", "```\n"]
        ),
        st.characters(exclude_categories=["Cs"]),
    ).map(lambda s: s[0]),
    max_size=400,
) | st.lists(
    st.sampled_from(
        ["word ", "\n", "\n\n", "日本語", "👩‍👩‍👧", "x" * 90, "# Head\n", "- item\n", "The end. "]
    ),
    max_size=120,
).map("".join)


def words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def cut(text: str, **limits) -> list[Chunk]:
    return split(text, **{"chars": 1500, "overlap": 200, "max_tokens": 400, "count_tokens": words} | limits)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ODD, st.integers(20, 200), st.integers(0, 19), st.integers(8, 120), st.booleans())
def test_every_passage_is_within_both_bounds_and_stands_at_its_offsets(
    text, chars, overlap, tokens, markdown
):
    chunks = cut(text, chars=chars, overlap=overlap, max_tokens=tokens, markdown=markdown)
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert len(chunk.text) <= chars
        assert words(chunk.text) <= tokens
        assert chunk.text.strip()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ODD, st.integers(60, 900), st.booleans())
def test_tokens_are_bounded_also_where_each_character_is_several(text, tokens, markdown):
    def three_each(piece: str) -> int:
        return 3 * len(piece)

    chunks = cut(text * 3, max_tokens=tokens, count_tokens=three_each, markdown=markdown)
    assert all(three_each(chunk.text) <= tokens for chunk in chunks)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ODD, st.integers(20, 200), st.integers(0, 19), st.booleans())
def test_no_word_of_the_text_is_lost(text, chars, overlap, markdown):
    covered = set()
    for chunk in cut(text, chars=chars, overlap=overlap, markdown=markdown):
        covered.update(range(chunk.start, chunk.end))
    assert {place for place, letter in enumerate(text) if not letter.isspace()} <= covered


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ODD, st.integers(20, 200), st.integers(0, 19), st.booleans())
def test_neighbours_share_at_most_the_overlap_and_go_forward(text, chars, overlap, markdown):
    chunks = cut(text, chars=chars, overlap=overlap, markdown=markdown)
    for one, two in pairwise(chunks):
        assert one.start < two.start
        assert one.end < two.end
        assert one.end - two.start <= overlap


@pytest.mark.parametrize("text", ["", "   ", "\n" * 5000, "\t \n"])
def test_blank_text_has_no_passages(text: str):
    assert cut(text) == []


def test_a_short_text_is_one_passage():
    assert cut("Owls hunt.") == [Chunk("Owls hunt.", 0, 10)]


def test_passages_end_at_sentences_where_they_can():
    text = "Owls hunt at night. " * 60
    assert all(chunk.text.endswith(".") for chunk in cut(text, chars=130, overlap=0))


def test_neighbours_do_share_text_where_an_overlap_is_asked():
    chunks = cut("Owls hunt at night. " * 60, chars=130, overlap=45)
    assert all(two.start < one.end for one, two in pairwise(chunks))


@pytest.mark.parametrize(
    "text", ["x" * 250_000, "日" * 120_000, "👩‍👩‍👧" * 20_000, "\n" * 250_000, "word " * 60_000]
)
def test_long_and_odd_text_is_cut_in_seconds(text: str):
    started = time.monotonic()
    chunks = cut(text)
    assert all(len(chunk.text) <= 1500 for chunk in chunks)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("chars", "overlap", "max_tokens"),
    [(100, 99, 1), (100, 99, 400), (100, 0, 1), (1, 0, 1), (1500, 1499, 2), (5000, 4999, 10)],
)
def test_every_setting_comes_to_an_end(chars: int, overlap: int, max_tokens: int):
    cut("Owls hunt 👩‍👩‍👧 日本. " * 20, chars=chars, overlap=overlap, max_tokens=max_tokens)


@pytest.mark.parametrize(
    "text",
    [
        "日本語の論文です。" * 300,
        "한국어 논문입니다 " * 300,
        "각" * 500,
        "👩‍👩‍👧 " * 400,
        "Owls hunt at night. " * 300,
        "qx7" * 1500,
    ],
)
def test_no_passage_is_over_the_real_models_tokens(text: str):
    model = packaged()
    limits = {"max_tokens": model.max_tokens, "count_tokens": model.count_tokens}
    assert all(model.count_tokens(chunk.text) <= model.max_tokens for chunk in cut(text, **limits))
