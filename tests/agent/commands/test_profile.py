import pytest

from researchassist.errors import CommandRefused, MemoryRefused


@pytest.fixture
def versions(memory):
    for text in ("User reads papers.", "User is vegetarian."):
        memory.write_profile(text, folded=[7], before=memory.profile())


def test_it_shows_the_profile_and_the_versions_before(give, versions):
    result = give("profile")
    assert "3 of 400 words" in result.text
    [card], [row] = result.cards, result.rows
    assert (card.text, card.number) == ("User is vegetarian.", "2")
    assert "after session 7" in card.facts
    assert row.text == "User reads papers."
    assert [one.command for one in card.actions] == ["/profile undo"]


def test_undo_rolls_back_version_by_version(give, memory, versions):
    assert give("profile", "undo").cards[0].text == "User reads papers."
    assert "no profile now" in give("profile", "undo").text
    with pytest.raises(MemoryRefused, match="no profile"):
        give("profile", "undo")


def test_where_there_is_none_it_says_when_there_will_be(give):
    assert "no profile yet" in give("profile").text


def test_anything_else_is_refused_with_the_two_ways(give):
    with pytest.raises(CommandRefused, match="/profile undo"):
        give("profile", "delete")
