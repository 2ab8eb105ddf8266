"""/why"""

import pytest

from researchassist.agent.turn import call_agent
from researchassist.errors import CommandRefused, UnknownFact
from tests.agent.test_remember import SEAFOOD, writer_of


def test_the_message_the_operation_and_the_history_are_shown(give, assistant_with, memory):
    turn = call_agent(assistant_with("Good.", writer=writer_of([SEAFOOD])), "I love seafood", "alice").turn
    number = str(memory.facts()[0].id)
    result = give("why", number)
    [card] = result.cards
    assert "“I love seafood”" in result.text
    assert (card.thread_id, card.message_id) == ("alice", turn.question.id)
    [row] = result.rows
    assert row.title.startswith("ADD")
    assert "by the assistant" in row.facts
    give("forget", number)
    assert [row.title.split(":")[0] for row in give("why", number).rows] == ["ADD", "FORGET"]


def test_where_the_message_was_deleted_its_words_still_stand(give, assistant_with, memory):
    call_agent(assistant_with("Good.", writer=writer_of([SEAFOOD])), "I love seafood", "alice")
    memory.forget_thread("alice")
    result = give("why", str(memory.facts()[0].id))
    assert "“I love seafood”. The message is not in any conversation now." in result.text
    assert (result.cards[0].thread_id, result.cards[0].message_id) == ("", "")


def test_a_replaced_fact_shows_what_took_its_place(give, memory):
    from researchassist.memory.fact_records import FactDecision, FactDraft, FactStep

    old = int(give("remember", "I love seafood").cards[0].number)
    draft = FactDraft(text="I am vegetarian")
    memory.write_facts([FactDecision(draft, (FactStep("DELETE", old), FactStep("ADD")))], by="writer")
    result = give("why", str(old))
    assert result.cards[0].facts[0] == "replaced since"
    assert [row.title.split(":")[0] for row in result.rows] == ["ADD", "DELETE", "ADD"]
    assert result.rows[-1].text == "I am vegetarian"


def test_what_was_said_is_shown_as_text_whatever_it_holds(give):
    number = give("remember", "I like *stars* and [links](http://evil.example)").cards[0].number
    assert "\\*stars\\*" in give("why", number).text


def test_an_unknown_or_missing_number_is_said(give):
    with pytest.raises(UnknownFact):
        give("why", "99")
    with pytest.raises(CommandRefused):
        give("why", "seafood")
