"""What repeats becomes a lasting fact, with its sources, and never twice."""

import json

import pytest
from django.core.management import call_command

from researchassist.agent.reflect import reflect
from researchassist.errors import ModelError
from researchassist.memory.fact_records import FactDecision, FactDraft
from tests.memory.test_lessons import plant
from tests.scripted_llm import ScriptedLLM


def drawing(statement: str) -> ScriptedLLM:
    return ScriptedLLM(json.dumps({"statement": statement}), forever=True)


def tell(memory, *texts: str, importance: int = 7, kind: str = "episodic") -> list[int]:
    drafts = [
        FactDecision(FactDraft(text=text, kind=kind, importance=importance, attribute="event"))
        for text in texts
    ]
    return [one.fact_id for one in memory.write_facts(drafts, by="writer")]


MEETINGS = [f"User met Professor Halvorsen about the {topic}" for topic in ("grant", "thesis", "survey")]


def test_repeated_episodes_that_matter_become_one_lasting_fact_with_its_sources(assistant_with, memory):
    ids = tell(memory, *MEETINGS)
    assistant = assistant_with(writer=drawing("User meets Professor Halvorsen often"))
    assert reflect(assistant).drawn == ("User meets Professor Halvorsen often",)
    fact = memory.facts()[-1]
    assert (fact.kind, fact.sources) == ("semantic", tuple(f"fact {one}" for one in ids))
    assert len(memory.facts()) == 4
    assert reflect(assistant).drawn == ()
    assert len(assistant.writer.requests) == 1


def test_a_promotion_that_was_undone_does_not_come_back(assistant_with, memory):
    tell(memory, *MEETINGS)
    assistant = assistant_with(writer=drawing("User meets Professor Halvorsen often"))
    reflect(assistant)
    memory.undo_facts([memory.latest_fact_change().batch])
    assert reflect(assistant).drawn == ()
    assert [fact.text for fact in memory.facts()] == MEETINGS


def test_what_nothing_is_drawn_from_does_not_hold_off_what_comes_later(assistant_with, memory):
    for place in ("Oslo", "Bergen", "Lund"):
        tell(memory, *(f"User missed the {place} train on {day}" for day in ("Monday", "Tuesday", "Friday")))
        assert reflect(assistant_with(writer=drawing(""))).drawn == ()
    tell(memory, *MEETINGS)
    assistant = assistant_with(writer=drawing("User meets Professor Halvorsen often"))
    assert reflect(assistant, most=1).drawn == ("User meets Professor Halvorsen often",)


@pytest.mark.parametrize(
    ("texts", "more"),
    [
        (MEETINGS[:2], {}),
        (MEETINGS, {"importance": 3}),
        (MEETINGS, {"kind": "semantic"}),
        (["User saw an owl", "User bought bread", "User missed the train"], {}),
    ],
)
def test_what_is_rare_trivial_lasting_or_unlike_is_left_alone(assistant_with, memory, texts, more):
    tell(memory, *texts, **more)
    assistant = assistant_with(writer=drawing("User does things"))
    assert reflect(assistant).drawn == ()
    assert assistant.writer.requests == []


@pytest.mark.parametrize(
    "statement", ["", "User banks at Nordhus", "User hates everybody and everything always"]
)
def test_nothing_is_drawn_that_the_sources_do_not_say(assistant_with, memory, statement: str):
    tell(memory, *MEETINGS)
    assert reflect(assistant_with(writer=drawing(statement))).drawn == ()
    assert len(memory.facts()) == 3


def test_a_lesson_that_came_twice_becomes_a_fact_about_the_work(assistant_with, memory):
    first, vacation, third = plant(memory)
    assistant = assistant_with(writer=drawing("Check the quota first."))
    assert reflect(assistant).drawn == ("Check the quota first.",)
    [fact] = memory.facts()
    assert (fact.subject, fact.sources) == ("work", (f"episode {first}", f"episode {third}"))
    assert {one.id: one.promoted_to for one in memory.lessons()} == {
        first: fact.id,
        vacation: None,
        third: fact.id,
    }
    assert reflect(assistant).drawn == ()


def test_without_a_model_lessons_are_drawn_by_the_longest_and_episodes_wait(assistant_with, memory):
    plant(memory)
    tell(memory, *MEETINGS)
    assert reflect(assistant_with("unused")).drawn == ("Check the quota calendar first.",)


def test_it_is_bounded_and_a_failing_model_is_a_sentence(assistant_with, memory, capsys):
    for name in ("Halvorsen", "Okafor", "Lind", "Berge", "Strand"):
        tell(memory, *(f"User met {name} {name}sen about the {one}" for one in ("grant", "thesis", "survey")))
    assistant = assistant_with(writer=ScriptedLLM(ModelError("It is down."), forever=True))
    done = reflect(assistant)
    assert (done.drawn, len(done.problems)) == ((), 3)
    call_command("reflect")
    assert "It is down." in capsys.readouterr().err
