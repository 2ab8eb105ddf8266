"""What helpers' models reply over HTTP ends in memory clean, once, and recorded where it was odd."""

import json
from collections.abc import Callable

import pytest

from researchassist.agent.assistant import Assistant
from researchassist.agent.extract import CUT
from researchassist.agent.summaries import HEADINGS
from researchassist.agent.turn import call_agent
from researchassist.memory.models import EntityMemory
from tests.fake_model_server import FakeModelServer

from .conftest import PLAIN

Served = Callable[..., Assistant]
VARIANTS = [
    ("Norvik AS", "org"),
    ("norvik as", "company"),
    (" Norvik  AS ", "org"),
    ("NORVIK AS.", "org"),
    ("Café Halden", "place"),
    ("Cafe\u0301 Halden", "place"),
]


def _after(served: Served, server: FakeModelServer, *replies: str) -> tuple[Assistant, dict[str, object]]:
    server.loop += [PLAIN]
    server.writer += replies
    assistant = served()
    result = call_agent(assistant, "Who made the seal?", "t")
    return assistant, result.turn.helpers["entities_question"]


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (r'[{"name": "Norvik \ud83d AS", "type": "org"}]', "Norvik AS"),
        (r'[{"name": "Nor\u0000vik AS", "type": "org"}]', "Norvik AS"),
        ('[{"name": "' + "N" * 5000 + '", "type": "org"}]', "N" * 200),
    ],
    ids=["half a character", "NUL", "too long a name"],
)
def test_odd_names_are_kept_clean(served: Served, server: FakeModelServer, reply: str, name: str) -> None:
    _after(served, server, reply, "[]")

    assert list(EntityMemory.objects.values_list("name", flat=True)) == [name]


def test_many_spellings_are_one_entity_each_time(served: Served, server: FakeModelServer) -> None:
    reply = json.dumps([{"name": name, "type": kind} for name, kind in VARIANTS])

    _after(served, server, reply, reply)

    assert sorted(EntityMemory.objects.values_list("name", flat=True)) == ["Café Halden", "Norvik AS"]
    assert EntityMemory.objects.get(name="Norvik AS").mentions == 8


def test_a_cut_reply_is_recorded_on_the_turn_and_its_whole_part_kept(
    served: Served, server: FakeModelServer
) -> None:
    _, helper = _after(served, server, '[{"name": "Norvik AS"}, {"name": "Hald', "[]")

    assert helper == {"status": "ok", "names": ["Norvik AS"], "problem": CUT}


def test_a_date_or_a_number_is_no_entity(served: Served, server: FakeModelServer) -> None:
    _, helper = _after(served, server, '["2026-11-30", "19:03:38", "41%", "Oslo"]', "[]")

    assert helper["names"] == ["Oslo"]


def test_a_failed_helper_leaves_the_answer_and_can_be_tried_again(
    served: Served, server: FakeModelServer
) -> None:
    from researchassist.agent.writeback import learn
    from tests.fake_model_server import Refusal

    server.loop += [PLAIN]
    server.writer += [Refusal(500), "[]"]
    assistant = served()
    result = call_agent(assistant, "Who made the seal?", "t")
    assert result.final_answer == PLAIN
    assert result.turn.helpers["entities_question"]["status"] == "failed"

    server.writer += ['["Norvik AS"]']
    list(learn(assistant, result.turn.id))

    assert assistant.memory.turn(result.turn.id).helpers["entities_question"] == {
        "status": "ok",
        "names": ["Norvik AS"],
    }


def test_reasoning_gets_into_neither_summary_nor_label(served: Served, server: FakeModelServer) -> None:
    body = "\n\n".join(f"### {heading}\n- The seal cracked." for heading in HEADINGS)
    label = "Pump seal cracked on 3 March and was replaced by Norvik"
    server.writer += [
        f"<think>### Technical Information\nsecret plan</think>\n{body}",
        f"secret plan</think>{label}",
    ]
    assistant = served()
    assistant.memory.write_conversational_memory("The seal cracked.", "user", "t")

    (made,) = assistant.condenser.condense_thread("t")

    assert "secret plan" not in made.record.summary
    assert made.record.description == label
    assert made.problem == ""
