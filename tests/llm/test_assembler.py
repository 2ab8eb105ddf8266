import json

import pytest

from researchassist.llm.assembler import Assembler
from researchassist.llm.types import Reply, Usage


def call(arguments=None, *, name=None, index=None, call_id=None) -> dict:
    return {
        "index": index,
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def assembled(*deltas: dict, finish: str | None = None) -> Reply:
    assembler = Assembler()
    for delta in deltas:
        assembler.feed({"choices": [{"delta": delta, "finish_reason": None}]})
    assembler.end()
    if finish:
        assembler.feed({"choices": [{"delta": {}, "finish_reason": finish}]})
    return assembler.reply()


def text_of(assembler: Assembler, delta: dict) -> str:
    return assembler.feed({"choices": [{"delta": delta}]})[0]


def pairs(reply: Reply) -> list[tuple[str, str]]:
    return [(made.name, made.arguments) for made in reply.tool_calls]


def calling(*parts: dict) -> Reply:
    return assembled(*({"tool_calls": [part]} for part in parts))


def test_text_comes_piece_by_piece_and_adds_up():
    assembler = Assembler()
    pieces = [text_of(assembler, {"content": text}) for text in ("Ow", "", "ls", None)]
    assert pieces == ["Ow", "", "ls", ""]
    assert assembler.reply() == Reply("Owls")


def test_an_emoji_cut_in_two_is_whole_again():
    assembler = Assembler()
    pieces = [text_of(assembler, {"content": text}) for text in ("a\ud83d", "\ude00b")]
    assert pieces == ["a", "😀b"]
    assert assembler.reply().text == "a😀b"


def test_a_lone_half_never_gets_out():
    assembled({"content": "a\ude00\ud83d"}, {"content": "b"}).text.encode()


def test_a_call_comes_in_pieces():
    reply = calling(
        call("", name="look", index=0, call_id="c1"), call('{"a"', index=0), call(": 1}", index=0)
    )
    assert [(c.id, c.name, json.loads(c.arguments)) for c in reply.tool_calls] == [("c1", "look", {"a": 1})]
    assert reply.finish_reason == "tool_calls"


def test_two_calls_may_take_turns():
    reply = calling(
        call("", name="a", index=0, call_id="1"),
        call("", name="b", index=1, call_id="2"),
        call("{}", index=0),
        call("[]", index=1),
    )
    assert pairs(reply) == [("a", "{}"), ("b", "[]")]


def test_a_split_name_is_joined():
    assert pairs(calling(call(name="look_", index=0, call_id="1"), call("{}", name="up", index=0))) == [
        ("look_up", "{}")
    ]


def test_a_name_repeated_in_each_delta_is_one():
    reply = calling(*(call(part, name="look", index=0, call_id="1") for part in ("{", '"a":1', "}")))
    assert pairs(reply) == [("look", '{"a":1}')]


def test_calls_without_an_index_are_told_apart():
    reply = calling(call("{}", name="a", call_id="1"), call("{}", name="b", call_id="2"))
    assert pairs(reply) == [("a", "{}"), ("b", "{}")]


def test_calls_without_index_and_id_are_told_apart():
    reply = calling(call('{"x"', name="a"), call(":1}"), call("{}", name="b"))
    assert pairs(reply) == [("a", '{"x":1}'), ("b", "{}")]
    assert len({made.id for made in reply.tool_calls}) == 2


def test_several_calls_in_one_delta_are_told_apart():
    reply = assembled({"tool_calls": [call("{}", name="a", index=0), call("{}", name="a", index=1)]})
    assert pairs(reply) == [("a", "{}"), ("a", "{}")]


def test_several_calls_under_one_index_are_told_apart():
    reply = calling(call("{}", name="a", index=0, call_id="1"), call("{}", name="b", index=0, call_id="2"))
    assert pairs(reply) == [("a", "{}"), ("b", "{}")]


def test_equal_ids_under_two_indexes_are_two_calls_with_two_ids():
    reply = calling(
        call('{"n"', name="a", index=0, call_id="x"), call(":1}", index=0),
        call('{"n"', name="b", index=1, call_id="x"), call(":2}", index=1),
    )  # fmt: skip
    assert pairs(reply) == [("a", '{"n":1}'), ("b", '{"n":2}')]
    assert len({made.id for made in reply.tool_calls}) == 2


def test_equal_ids_without_an_index_are_two_calls_where_the_names_differ():
    reply = calling(call("{}", name="a", call_id="x"), call("{}", name="b", call_id="x"))
    assert pairs(reply) == [("a", "{}"), ("b", "{}")]


def test_an_id_that_changes_in_each_delta_is_one_call():
    reply = calling(call("{", name="a", index=0, call_id="1"), call("}", index=0, call_id="2"))
    assert pairs(reply) == [("a", "{}")]


def test_a_missing_id_is_made():
    [made] = calling(call("{}", name="a", index=0)).tool_calls
    assert made.id


def test_arguments_that_come_as_an_object_are_written_as_json():
    assert pairs(calling(call({"a": "é"}, name="a", index=0))) == [("a", '{"a": "é"}')]


def test_text_beside_calls_is_kept():
    reply = assembled({"content": "Let me look."}, {"tool_calls": [call("{}", name="a", index=0)]})
    assert (reply.text, len(reply.tool_calls)) == ("Let me look.", 1)


@pytest.mark.parametrize(
    "chunk",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"tool_calls": None, "content": None}}]},
        {"choices": [{"delta": {"tool_calls": [None]}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": None}]}}]},
        {"usage": None, "choices": []},
    ],
)
def test_an_empty_delta_adds_nothing(chunk: dict):
    assembler = Assembler()
    assert assembler.feed(chunk) == ("", False)
    assert assembler.reply() == Reply()


def test_the_servers_reason_is_kept():
    assert assembled({"content": "Ow"}, finish="length").finish_reason == "length"


def test_usage_after_the_last_choice_is_kept():
    assembler = Assembler()
    assembler.feed({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": None}})
    assert assembler.reply().usage == Usage(12, 0)


def test_a_refusal_is_text():
    assert assembled({"refusal": "I cannot."}).text == "I cannot."
