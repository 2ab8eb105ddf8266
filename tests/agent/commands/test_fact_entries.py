import pytest

from researchassist.agent.commands.entries import day
from researchassist.agent.commands.fact_entries import fact_entry, fact_number
from researchassist.errors import CommandRefused
from researchassist.memory.fact_records import FactDecision, FactDraft


def test_a_fact_shows_its_kind_since_when_and_how_often_it_was_used(memory):
    draft = FactDraft(
        text="Ida plays the cello", kind="semantic", subject="ida", attribute="people", importance=4
    )
    [told] = memory.write_facts([FactDecision(draft)], by="person")
    memory.touch_facts([told.fact_id])
    memory.touch_facts([told.fact_id])
    entry = fact_entry(memory.fact(told.fact_id))
    assert (entry.title, entry.number) == ("Ida plays the cello", str(told.fact_id))
    assert entry.facts[:2] == ("semantic", "people of ida")
    assert entry.facts[2] == f"since {day(memory.fact(told.fact_id).told_at)}"
    assert entry.facts[3:] == ("importance 4", "used 2 times")


@pytest.mark.parametrize("given", ["", "seafood", "1 2", "-1", "٣", "9" * 30])
def test_a_number_is_asked_for(given: str):
    with pytest.raises(CommandRefused, match="number of one fact"):
        fact_number(given, "/why")
    assert fact_number(" #12 ", "/why") == 12
