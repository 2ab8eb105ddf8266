"""A thread in parts: every item is in exactly one of them, whatever it is made of."""

import random
from datetime import timedelta
from itertools import chain

import pytest
from pytest_django import DjangoAssertNumQueries

from researchassist.memory.models import CommandRun
from researchassist.memory.stores.turns import Place
from researchassist.memory.thread_records import Size, Window

SMALL = Size(items=4, least=2, characters=2_000)


def ask(memory, query: str, answer: str | None = "yes", thread: str = "t", **place):
    turn = memory.open_turn(
        thread_id=thread, query=query, key=query, owner="1@1", model="m", place=Place(**place)
    )
    if answer is None:
        return memory.end_turn_without_answer(turn.id, outcome="failed", error="x", partial_text="")
    return memory.finish_turn(turn, outcome="answered", answer=answer, steps=[], used={}, helpers={})


def command(memory, name: str):
    run, _ = memory.start_command(thread_id="t", name=name, argument="", key=name, owner="1@1")
    memory.end_command(run.id, status="done")
    return run


def items(window: Window) -> list[str]:
    """What begins the items, in order."""
    found = [(m.timestamp, m.content) for m in window.messages]
    found += [(run.started_at, f"/{run.name}") for run in window.runs]
    return [text for _, text in sorted(found)]


def upwards(memory, size: Size = SMALL) -> list[list[str]]:
    """All parts from the latest one up, the topmost first."""
    parts, window = [], memory.latest_window("t", size)
    parts.append(items(window))
    while window.earlier is not None:
        window = memory.latest_window("t", size, window.earlier)
        parts.insert(0, items(window))
    return parts


def downwards(memory, window: Window, size: Size = SMALL) -> list[list[str]]:
    parts = [items(window)]
    while window.later is not None:
        window = memory.later_window("t", size, window.later)
        parts.append(items(window))
    return parts


def test_the_first_part_is_the_latest_and_the_others_follow_upwards(memory):
    for number in range(10):
        ask(memory, f"q{number}")
    assert upwards(memory) == [["q0", "q1"], ["q2", "q3", "q4", "q5"], ["q6", "q7", "q8", "q9"]]


def test_an_answer_goes_with_its_question_also_past_a_command(memory):
    turn = memory.open_turn(thread_id="t", query="q", key="q", owner="1@1", model="m")
    command(memory, "documents")
    memory.finish_turn(turn, outcome="answered", answer="late", steps=[], used={}, helpers={})
    window = memory.latest_window("t", Size(items=1))
    assert items(window) == ["/documents"]
    [turn] = memory.latest_window("t", Size(items=1), window.earlier).turns
    assert turn.answer.content == "late"
    assert upwards(memory) == [["q", "/documents"]]


def test_long_messages_make_a_part_smaller_but_never_empty(memory):
    for number in range(6):
        ask(memory, f"q{number}", "word " * 1000)
    assert [len(part) for part in upwards(memory)] == [2, 2, 2]


def test_a_message_is_found_in_the_middle_with_what_is_around_it(memory):
    asked = [ask(memory, f"q{number}") for number in range(12)]
    window = memory.window_around(asked[4].answer, SMALL)
    assert items(window) == ["q3", "q4", "q5", "q6"]
    assert downwards(memory, window) == [["q3", "q4", "q5", "q6"], ["q7", "q8", "q9", "q10"], ["q11"]]
    above = memory.latest_window("t", SMALL, window.earlier)
    assert items(above)[-1] == "q2"
    assert items(memory.window_around(asked[11].answer, SMALL)) == ["q8", "q9", "q10", "q11"]
    assert memory.window_around(asked[11].answer, SMALL).later is None


def test_superseded_messages_are_in_no_part(memory):
    old = ask(memory, "old")
    ask(memory, "new", edit_of=old.question.id)
    assert upwards(memory) == [["new"]]


@pytest.mark.parametrize("seed", range(3))
def test_each_item_is_in_one_part_whatever_was_done(memory, seed: int):
    chance, expected = random.Random(seed), []
    for number in range(60):
        kind = chance.choice(["turn", "turn", "failed", "command", "said", "answer"])
        name = f"{kind}{number}"
        if kind in ("turn", "failed"):
            ask(memory, name, None if kind == "failed" else "x" * chance.randrange(900))
        elif kind == "command":
            command(memory, name)
            name = f"/{name}"
        else:
            memory.write_conversational_memory(name, "user" if kind == "said" else "assistant", "t")
        expected.append(name)
    assert [*chain.from_iterable(upwards(memory))] == expected
    first = memory.messages("t")[0].timestamp
    begun = min(first, CommandRun.objects.earliest("started_at").started_at) - timedelta(seconds=1)
    assert [*chain.from_iterable(downwards(memory, memory.later_window("t", SMALL, begun)))] == expected


def test_a_part_costs_the_same_however_long_the_thread_is(
    memory, django_assert_num_queries: DjangoAssertNumQueries
):
    for number in range(30):
        ask(memory, f"q{number}")
        if number in (5, 29):
            with django_assert_num_queries(3):
                memory.latest_window("t", SMALL)
