import pytest
from hypothesis import given
from hypothesis import strategies as st

from researchassist.memory.text import content_hash, count_words, first_words, name_key, storable, utf8_head

ANY_TEXT = st.text(st.characters(), max_size=60)


def test_it_drops_nul():
    assert storable("a\x00b") == "ab"


def test_it_replaces_a_lone_surrogate():
    assert storable("a\ud800b") == "a\ufffdb"


def test_it_joins_a_split_emoji():
    assert storable("\ud83d\ude00") == "😀"


def test_it_keeps_all_other_text_as_it_is():
    text = "Zürich\r\n\t日本 👩‍👩‍👧 \u200b e\u0301 \x07"
    assert storable(text) == text


@given(ANY_TEXT)
def test_what_is_storable_can_be_encoded_and_stays(text: str):
    once = storable(text)
    once.encode("utf-8")
    assert storable(once) == once


@given(st.text(max_size=80), st.integers(0, 60))
def test_a_head_is_at_most_the_bytes_asked_and_a_start_of_the_text(text: str, limit: int):
    head = utf8_head(text, limit)
    assert len(head.encode()) <= limit
    assert text.startswith(head)
    assert len(text[: len(head) + 1].encode()) > limit or head == text


def test_equal_texts_have_one_hash():
    assert content_hash("é") == content_hash("é") != content_hash("e\u0301")


@pytest.mark.parametrize(
    "other", ["KESTREL", " kestrel ", "Kestrel.", "“Kestrel”".strip("“”"), "Ｋｅｓｔｒｅｌ"]
)
def test_spellings_of_one_name_have_one_key(other: str):
    assert name_key(other) == name_key("Kestrel")


@pytest.mark.parametrize(
    ("text", "words"), [("", 0), ("Owls hunt  at\nnight.", 4), ("猫头鹰 hunts", 4), ("ふくろう", 4)]
)
def test_words_are_counted_in_scripts_with_and_without_spaces(text: str, words: int):
    assert count_words(text) == words


def test_the_first_words_end_with_a_sentence_where_one_ends_near():
    assert first_words("One two. Three four. Five six.", 5) == "One two. Three four. …"
    assert first_words("One two three four five six", 3) == "One two three …"
    assert first_words("猫头鹰夜里出来。老鼠白天睡觉。", 9) == "猫头鹰夜里出来。 …"
    assert first_words("One two.", 2) == "One two."
