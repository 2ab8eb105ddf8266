"""Helper replies are read leniently: every way models wrap, break or cut JSON."""

import json

import pytest

from researchassist.agent.extract import CUT, extract_entities
from researchassist.agent.replies import read_json
from tests.scripted_llm import ScriptedLLM

TWO = '[{"name": "Norvik AS", "type": "org"}, {"name": "Halden", "type": "place"}]'
BOTH = ["Norvik AS", "Halden"]


def _named(reply: str) -> list[str]:
    return [draft.name for draft in extract_entities("A text.", ScriptedLLM(reply)).drafts]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(TWO, id="plain"),
        pytest.param(f"```json\n{TWO}\n```", id="fenced"),
        pytest.param(f"```json {TWO}```", id="fenced on one line"),
        pytest.param(
            f"Here are the entities [2 found]:\n{TWO}\nI hope this helps! {{smile}}", id="prose around"
        ),
        pytest.param(f"As in [1] and [2, 3]: {TWO}", id="citations around"),
        pytest.param('{"entities": ' + TWO + "}", id="wrapped"),
        pytest.param(
            f'The format is:\n```json\n[{{"name": "EXAMPLE"}}]\n```\nand the answer:\n```json\n{TWO}\n```',
            id="an example first",
        ),
        pytest.param(
            '{"name": "Norvik AS", "type": "org"}\n{"name": "Halden", "type": "place"}', id="one a line"
        ),
        pytest.param(TWO[:-1] + ",]", id="a trailing comma"),
        pytest.param(TWO.replace('"', "'"), id="Python's own way"),
        pytest.param(f"<think>Maybe [Norvik], {{Halden}}?</think>\n{TWO}", id="reasoning first"),
        pytest.param('["Norvik AS", "Halden"]', id="names alone"),
        pytest.param('{"Norvik AS": "org", "Halden": "place"}', id="a map"),
        pytest.param(
            '```json\n[{"name": "Norvik AS", "note": "uses ```code``` marks"}, {"name": "Halden"}]\n```',
            id="backticks in a value",
        ),
        pytest.param(json.dumps(TWO), id="encoded twice"),
        pytest.param(f"[{TWO}]", id="nested"),
    ],
)
def test_two_entities_are_read_however_they_are_wrapped(reply: str) -> None:
    assert _named(reply) == BOTH


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param('{"name": "Norvik AS", "type": "org"}', id="one object"),
        pytest.param(
            '[{"name": null}, {"name": "", "type": null}, {"name": "Norvik AS", "type": null}, null, 7]',
            id="nulls",
        ),
        pytest.param(
            '[{"name": "Norvik AS", "confidence": NaN, "weight": 1e999, "x": -Infinity}]', id="not a number"
        ),
    ],
)
def test_bad_entries_never_cost_the_good_one(reply: str) -> None:
    assert _named(reply) == ["Norvik AS"]


@pytest.mark.parametrize(
    "reply",
    [
        "null",
        "",
        "{}",
        "[]",
        "I could not find any named entities. Let me know if you want me to look again!",
        "[1, 2]",
    ],
)
def test_nothing_found_is_no_error(reply: str) -> None:
    assert _named(reply) == []


def test_of_a_cut_reply_what_is_whole_is_kept_and_the_cut_is_said() -> None:
    found = extract_entities("A text.", ScriptedLLM('[{"name": "Norvik AS", "type": "org"}, {"name": "Hald'))

    assert [draft.name for draft in found.drafts] == ["Norvik AS"]
    assert found.problem == CUT


@pytest.mark.parametrize(
    "reply", [r'[{"name": "C:\temp\new \x41 \u12", "type": "org"}]', "[" * 5000, "{" * 5000, '{"a": [1, {"b"']
)
def test_broken_replies_raise_nothing(reply: str) -> None:
    read_json(reply)
    _named(reply)


def test_not_a_number_is_null() -> None:
    assert read_json('{"a": NaN, "b": Infinity, "c": 1e999, "d": 1.5}').value == {
        "a": None,
        "b": None,
        "c": None,
        "d": 1.5,
    }
