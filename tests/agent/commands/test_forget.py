"""/forget"""

import pytest

from researchassist.errors import CommandRefused, UnknownFact


def test_a_fact_is_forgotten_by_its_number_with_a_way_back(give, memory):
    number = give("remember", "I love seafood").cards[0].number
    [card] = give("forget", f"#{number}").cards
    assert memory.facts() == []
    assert card.facts[0] == "forgotten"
    give("remember", "I love owls")
    give("undo", card.actions[0].command.split()[1])
    assert [fact.text for fact in memory.facts()] == ["I love seafood", "I love owls"]


def test_a_fact_is_forgotten_by_its_words(give, memory):
    give("remember", "I love seafood")
    give("remember", "I love owls")
    give("forget", "SEAFOOD")
    assert [fact.text for fact in memory.facts()] == ["I love owls"]


def test_where_several_match_it_asks_and_forgets_none(give, memory):
    give("remember", "I love seafood")
    give("remember", "I love owls")
    result = give("forget", "love")
    assert "Which one" in result.text
    assert [[a.label for a in row.actions] for row in result.rows] == [["Why", "Forget"]] * 2
    assert len(memory.facts()) == 2
    give("forget", result.rows[0].actions[1].command.split()[1])
    assert [fact.text for fact in memory.facts()] == ["I love owls"]


@pytest.mark.parametrize("given", ["99", "#0", "9" * 40])
def test_an_unknown_number_is_said(give, given: str):
    with pytest.raises(UnknownFact, match="There is no fact"):
        give("forget", given)


@pytest.mark.parametrize("given", ["", "penguins"])
def test_words_that_no_fact_has_are_refused(give, given: str):
    with pytest.raises(CommandRefused):
        give("forget", given)
