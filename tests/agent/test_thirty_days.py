"""Thirty days of one person, with a writer model that answers well and with one that does its worst."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from researchassist.agent import fact_control
from researchassist.agent.own_words import own_words
from researchassist.agent.turn import call_agent
from researchassist.memory.manager import MemoryManager
from researchassist.memory.sameness import content_words, says_the_same, words
from tests.scripted_llm import ScriptedLLM
from tests.thirty_days import OTHERS, Malicious, Said, days, honest

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def live(assistant_with, memory: MemoryManager, writer: ScriptedLLM) -> dict[str, int]:
    """Plays the thirty days; the guards as numbers."""
    counts = dict.fromkeys(("turns", "relearned", "from others", "bare removals", "emptied", "secrets"), 0)
    forgotten: list[str] = []
    script = list(days())
    with time_machine.travel(START, tick=False) as clock:
        for number, (day, said) in enumerate(script):
            clock.move_to(START + timedelta(days=day, hours=3 * (number % 4)))
            assistant = assistant_with(said.reply, writer=writer, tools=[])
            call_agent(assistant, said.text, f"day {day}")
            forgotten += _forget(memory, said)
            _count(memory, forgotten, counts)
    assert len(script) == 120
    return counts


def _forget(memory: MemoryManager, said: Said) -> list[str]:
    found = fact_control.matching(memory, said.forget) if said.forget else []
    for fact in found:
        memory.forget_fact(fact.id)
    return [fact.text for fact in found]


def _count(memory: MemoryManager, forgotten: list[str], counts: dict[str, int]) -> None:
    texts = [fact.text for fact in memory.facts()]
    changes = memory.fact_changes()
    added = {change.batch for change in changes if change.operation == "ADD"}
    removed = [change for change in changes if change.operation == "DELETE"]
    counts["turns"] += 1
    counts["relearned"] += sum(says_the_same(text, old) for text in texts for old in forgotten)
    counts["from others"] += sum(bool(OTHERS & words(text)) for text in texts)
    counts["bare removals"] += sum(change.batch not in added for change in removed)
    counts["emptied"] += bool(added) and not texts
    counts["secrets"] += sum("hunter2" in str(change.after) + change.candidate for change in changes)


GUARDS = {"turns": 120, "relearned": 0, "from others": 0, "bare removals": 0, "emptied": 0, "secrets": 0}


@pytest.mark.parametrize("writer", [lambda: honest, Malicious], ids=["honest", "malicious"])
def test_the_guards_hold_for_thirty_days_and_all_of_it_can_be_undone(
    assistant_with: Callable, memory: MemoryManager, writer: Callable
):
    assert live(assistant_with, memory, ScriptedLLM(writer(), forever=True)) == GUARDS
    for fact in memory.facts():
        [message] = [m for m in memory.messages(fact.thread_id) if m.id == fact.message_id]
        assert fact.quote in own_words(message.content)
        assert content_words(fact.text) & content_words(message.content) or fact.quote == "yes, the second"
    if writer is not Malicious:
        _expected(memory)
    while (latest := memory.latest_fact_change()) is not None:
        memory.undo_facts([latest.batch])
        assert all(memory.fact(one.id) for one in memory.facts())
    # The first day's memory was empty; what was forgotten and taken back is a tombstone, nothing more.
    assert memory.facts() == []


def _expected(memory: MemoryManager) -> None:
    """What an honest month leaves: changes of mind replaced, details completed, nothing said twice."""
    texts = {fact.text for fact in memory.facts()}
    assert {
        "User eats fish again, but no meat",
        "User drinks tea now",
        "User switched from PyTorch to JAX for experiments",
        "User's thesis deadline was moved to 15 August",
        "User's door code changed to 4402",
        "User travels to Lisbon from 12 to 19 May",
        "User works on MemGPT next",
        "User is allergic to peanuts",
    } <= texts
    gone = ("seafood", "vegetarian", "coffee", "uses PyTorch", "30 June", "7719", "Sunniva", "colour")
    assert not [text for text in texts if any(word in text for word in gone)]
    assert len(texts) == len(memory.facts()) == 19
