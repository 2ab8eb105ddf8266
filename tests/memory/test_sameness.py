import pytest

from researchassist.memory.sameness import (
    content_words,
    fact_key,
    is_negated,
    says_part_of,
    says_the_same,
    specifics,
)


@pytest.mark.parametrize(
    "other",
    ["my  seal is QX-77.", "MY SEAL IS qx-77", " My seal is QX-77! ", "My seal is ＱＸ-77", "seal is QX-77"],
)
def test_case_spaces_and_marks_make_no_other_fact(other: str):
    assert fact_key(other) == fact_key("My seal is QX-77")


@pytest.mark.parametrize("other", ["My seal is QX-78", "My seal is QX-7", "My seals are QX-77"])
def test_another_number_or_word_is_another_fact(other: str):
    assert fact_key(other) != fact_key("My seal is QX-77")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User lives in Oslo", "The user is living in Oslo."),
        ("User prefers dark mode", "User preferred the dark mode"),
        ("User is vegetarian", "The person is a vegetarian"),
        ("日本に住んでいる", "日本に住んでいる。"),
    ],
)
def test_other_forms_of_the_same_words_say_the_same(one: str, other: str):
    assert says_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User is vegetarian", "User is not vegetarian"),
        ("User is vegetarian", "User is no longer vegetarian"),
        ("User lives in Oslo", "User lives in Bergen"),
        ("User eats fish", "User doesn't eat fish"),
        ("the", "a"),
    ],
)
def test_a_denial_or_another_word_does_not(one: str, other: str):
    assert not says_the_same(one, other)


def test_what_is_part_of_it_is_told():
    assert says_part_of("User lives in Oslo", "User lives in Oslo, Norway")
    assert says_part_of("User lives in Oslo, Norway", "User lives in Oslo")
    assert not says_part_of("User lives in Oslo", "User lives in Bergen")
    assert not says_part_of("User is vegetarian", "User is no longer vegetarian")
    assert not says_part_of("User is", "User lives in Oslo")


def test_names_and_numbers_are_what_is_specific():
    told = specifics("User meets Professor Halvorsen on Tuesday at 10:30 about BM25.")
    assert told == {"professor", "halvorsen", "tuesday", "10:30", "bm25"}
    assert specifics("Runs are on kappa. Then it rained.") == frozenset()


def test_words_and_denials():
    assert content_words("The user lives in Oslo") == content_words("living, Oslo") == {"liv", "oslo"}
    assert all(is_negated(text) for text in ("User cannot come", "User isn’t there"))
    assert not is_negated("User nods")
