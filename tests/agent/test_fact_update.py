"""What a writer model may decide about a new fact, and what it may not."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from researchassist.agent import fact_update
from researchassist.agent.fact_update import decide, judge
from researchassist.memory.fact_records import FactDraft, FactRecord, FactStep
from tests.scripted_llm import ScriptedLLM

AT = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
VEGETARIAN = FactDraft(text="User is vegetarian", attribute="diet", quote="I am vegetarian")


def fact(number: int, text: str) -> FactRecord:
    return FactRecord(
        id=number,
        text=text,
        kind="semantic",
        importance=5,
        subject="user",
        attribute="diet",
        quote="",
        state="active",
        told_at=AT + timedelta(days=number),
        last_accessed=AT,
        uses=0,
    )


SHOWN = (fact(31, "User loves seafood"), fact(32, "User eats lunch at noon"), fact(33, "User drinks tea"))


def steps(*ops: dict, draft: FactDraft = VEGETARIAN, shown=SHOWN):
    judged = judge(json.dumps({"ops": list(ops)}), draft, shown)
    return judged.decision.steps if judged.decision else judged.problem


ADD, NOOP = {"op": "ADD", "id": None, "text": "User is vegetarian"}, {"op": "NOOP", "id": None, "text": None}


def delete(number) -> dict:
    return {"op": "DELETE", "id": number, "text": None}


def test_a_contradicted_fact_goes_together_with_the_new_one():
    assert steps(delete(1), ADD) == (FactStep("DELETE", 31), FactStep("ADD"))
    assert steps(ADD, delete("#1"), delete("3")) == (
        FactStep("DELETE", 31),
        FactStep("DELETE", 33),
        FactStep("ADD"),
    )


def test_what_is_added_is_the_checked_fact_and_not_the_models_text():
    assert steps({"op": "add", "text": "User hates everybody"}) == (FactStep("ADD"),)


@pytest.mark.parametrize("op", [NOOP, {"op": "NOOP", "id": 2}])
def test_what_is_known_changes_nothing(op: dict):
    assert {step.operation for step in steps(op)} == {"NOOP"}


@pytest.mark.parametrize(
    ("ops", "problem"),
    [
        ([delete(1)], fact_update.ALONE),
        ([delete(1), delete(2), delete(3)], fact_update.ALONE),
        ([delete(1), NOOP], fact_update.CONTRADICTORY),
        ([delete(4), ADD], fact_update.NOT_SHOWN),
        ([delete(0), ADD], fact_update.NOT_SHOWN),
        ([delete(31), ADD], fact_update.NOT_SHOWN),
        ([delete("all"), ADD], fact_update.NOT_SHOWN),
        ([delete(None), ADD], fact_update.NOT_SHOWN),
        ([delete(1), delete(1), ADD], fact_update.CONTRADICTORY),
        ([ADD, NOOP], fact_update.CONTRADICTORY),
        ([{"op": "UPDATE", "id": 1, "text": "User loves seafood and is vegetarian"}, delete(1), ADD],
         fact_update.CONTRADICTORY),
        ([{"op": "UPDATE", "id": 1, "text": "User loves seafood, is vegetarian"}, ADD],
         fact_update.CONTRADICTORY),
        ([{"op": "UPDATE", "id": 9, "text": "x"}], fact_update.NOT_SHOWN),
        ([{"op": "DROP TABLE", "id": 1}], fact_update.NO_OPERATIONS),
        (["ADD"], fact_update.NO_OPERATIONS),
        ([], fact_update.NO_OPERATIONS),
    ],
)  # fmt: skip
def test_a_reply_that_breaks_a_rule_does_nothing(ops: list, problem: str):
    assert steps(*ops) == problem


@pytest.mark.parametrize("reply", ["", "I would keep both.", "{}", '{"ops": "ADD"}', "null", "[[]]"])
def test_an_empty_or_malformed_reply_does_nothing(reply: str):
    judged = judge(reply, VEGETARIAN, SHOWN)
    assert (judged.decision, judged.problem) == (None, fact_update.NO_OPERATIONS)


def test_a_huge_reply_does_nothing():
    reply = json.dumps({"ops": [ADD], "because": "x" * 9000})
    assert judge(reply, VEGETARIAN, SHOWN).problem == fact_update.TOO_MUCH


@pytest.mark.parametrize(
    ("after", "done"),
    [
        ("User travels to Lisbon 12 to 19 May", True),
        ("User travels to Lisbon in May, from 12 to 19 May", True),
        ("User travels to Porto 12 to 19 May", False),
        ("User does not travel to Lisbon 12 to 19 May", False),
        ("User travels to Lisbon 12 to 19 May with the secret service", False),
        ("User travels to Lisbon in May", False),
        ("", False),
    ],
)
def test_a_fact_is_only_completed_by_what_was_said(after: str, done: bool):
    lisbon = (fact(41, "User travels to Lisbon in May"),)
    draft = FactDraft(text="User's trip is 12 to 19 May", attribute="plan", quote="my trip is 12 to 19 May")
    op = {"op": "UPDATE", "id": 1, "text": after}
    assert steps(op, draft=draft, shown=lisbon) == (
        (FactStep("UPDATE", 41, after),) if done else fact_update.LOST
    )


def test_no_model_is_asked_where_nothing_is_known_or_the_same_is():
    writer = ScriptedLLM()
    assert decide(VEGETARIAN, (), writer).decision.steps == (FactStep("ADD"),)
    known = fact(51, "The user is a vegetarian.")
    assert decide(VEGETARIAN, (known,), writer).decision.steps == (FactStep("NOOP", 51),)
    assert writer.requests == []


def test_the_model_sees_small_numbers_and_what_each_fact_is_about():
    writer = ScriptedLLM(json.dumps({"ops": [ADD, delete(1)]}))
    judged = decide(VEGETARIAN, SHOWN[::-1], writer)
    assert judged.decision.steps[0] == FactStep("DELETE", 31)
    prompt = writer.requests[0].messages[0]["content"]
    assert "1. User loves seafood (diet; told 2026-02-12)" in prompt
    assert "I am vegetarian" in prompt
