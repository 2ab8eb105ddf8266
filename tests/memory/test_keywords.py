import pytest

from researchassist.memory.keywords import MOST_TERMS, bigrams, quoted, terms, unspaced, with_parts


def test_stop_words_are_left_out_and_order_is_kept():
    assert terms("What did the Kestrel paper say about tiers, and the PAPER?") == [
        "kestrel", "paper", "say", "tiers",
    ]  # fmt: skip


def test_a_question_of_stop_words_alone_is_looked_for_as_it_is():
    assert terms("who is it?") == ["who", "is", "it"]


@pytest.mark.parametrize(
    "identifier", ["2310.08560", "kz-914", "cache.py", "10.48550/arxiv.2310.08560", "a_b"]
)
def test_an_identifier_is_one_term(identifier: str):
    assert terms(f"Where was {identifier}, exactly?") == [identifier, "exactly"]


def test_of_too_many_words_the_longest_are_taken_in_their_order():
    many = [f"word{'x' * (n % 7)}{n}" for n in range(200)]
    taken = terms(" ".join(many))
    assert len(taken) == MOST_TERMS
    assert taken == [word for word in many if word in taken]
    assert max(map(len, many)) == max(map(len, taken))


def test_text_without_words_has_no_terms():
    assert terms(' "*^():- 🦉 __ ') == []
    assert quoted([]) == ""


def test_the_owner_is_looked_for_not_the_possessive():
    assert terms("Caroline's and James’s plans; it's his") == ["caroline", "james", "plans"]


def test_joined_words_are_ranked_by_their_parts_too():
    assert with_parts(["il-6", "cells"]) == ["il-6", "cells", "il", "6"]
    assert with_parts(["state-of-the-art"]) == ["state-of-the-art", "state", "art"]


def test_pairs_of_a_script_without_spaces_are_few_and_spread():
    assert bigrams("猫が好き and owls") == ["猫が", "が好", "好き"]
    assert bigrams("猫") == ["猫"]
    assert len(bigrams("".join(chr(0x4E00 + n) for n in range(100)))) == 8
    assert bigrams("owls") == []


def test_nothing_a_person_writes_is_syntax():
    assert quoted(['a"b', "near"], every=True) == '"a""b" AND "near"'
    assert quoted(["pag"], beginning=True) == '("pag" OR "pag" *)'


def test_scripts_without_spaces_are_told_apart():
    assert unspaced("Was sagt 猫が好き? Und เสือ") == ["猫が好き", "เสือ"]
    assert unspaced("Été, naïve, Привет") == []
