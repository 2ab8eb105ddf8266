import json

import pytest

from researchassist.agent.extract import ENTITY_TOKENS, extract_entities
from researchassist.errors import ModelError
from tests.scripted_llm import ScriptedLLM

OWL = {"name": "Owl", "type": "SYSTEM", "description": "A bird."}
MARLOW = {"name": "Marlow", "type": "PERSON", "description": "An author."}
BOTH = json.dumps([OWL, MARLOW])


def names(reply: str) -> list[str]:
    return [draft.name for draft in extract_entities("Owl and Marlow", ScriptedLLM(reply)).drafts]


@pytest.mark.parametrize(
    "reply",
    [
        BOTH,
        f"```json\n{BOTH}\n```",
        f"Here are the entities:\n{BOTH}\nI hope this helps.",
        json.dumps({"entities": [OWL, MARLOW]}),
        BOTH[:-1],
        BOTH.replace('"', "'"),
        json.dumps([OWL, None, 7, {"type": "PERSON"}, {"name": " "}, MARLOW]),
        json.dumps(["Owl", "Marlow"]),
        json.dumps([OWL, {"name": "Marlow", "type": None, "description": None, "age": 9}]),
    ],
)
def test_entities_are_read_however_they_are_written(reply: str):
    assert names(reply) == ["Owl", "Marlow"]


def test_one_entity_may_stand_alone():
    assert names(json.dumps(OWL)) == ["Owl"]


@pytest.mark.parametrize("reply", ["[]", "", "null", "There are none.", "{}", "7", '{"entities": []}'])
def test_none_is_none(reply: str):
    assert names(reply) == []


def test_at_most_500_characters_are_read():
    writer = ScriptedLLM("[]")
    extract_entities("a" * 500 + "B" * 10, writer)
    asked = writer.requests[0].messages[0]["content"]
    assert asked.endswith("a" * 500)
    assert writer.requests[0].max_tokens == ENTITY_TOKENS


def test_a_blank_text_asks_nobody():
    writer = ScriptedLLM()
    assert extract_entities("  \n", writer).drafts == ()
    assert writer.requests == []


def test_a_model_that_fails_is_told():
    with pytest.raises(ModelError):
        extract_entities("Owl", ScriptedLLM(ModelError("It is down.")))
