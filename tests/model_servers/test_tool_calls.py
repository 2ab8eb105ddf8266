"""Tool calls as models write them: generously decoded, strictly checked, always answered."""

import json
from collections.abc import Callable

import pytest

from researchassist.agent.assistant import Assistant
from researchassist.agent.loop import CUT_AGAIN, INABILITY
from researchassist.agent.turn import call_agent
from researchassist.errors import ModelError
from researchassist.llm.types import Reply, ToolCall
from tests.fake_model_server import FakeModelServer, Raw, chunk

from .conftest import PLAIN, ran
from .streams import DONE, call, raw, texts

Served = Callable[..., Assistant]


def _results(server: FakeModelServer, request: int = 1) -> list[str]:
    return [m["content"] for m in server.requests[request]["messages"] if m["role"] == "tool"]


def _sent_calls(server: FakeModelServer, request: int = 1) -> list[dict[str, object]]:
    return [c for m in server.requests[request]["messages"] for c in m.get("tool_calls", [])]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(call("list_documents", ""), id="empty"),
        pytest.param(call("list_documents"), id="absent"),
        pytest.param(call("list_documents", "null"), id="null"),
        pytest.param(call("list_documents", '""'), id="an empty string in JSON"),
        pytest.param(call("list_documents", "  \n"), id="blank"),
    ],
)
def test_a_call_without_arguments_runs_however_that_is_written(
    served: Served, server: FakeModelServer, reply: Raw
) -> None:
    server.loop += [reply, PLAIN]

    result = call_agent(served(), "What is there?", "t")

    assert ran == [("list_documents", {})]
    assert result.final_answer == PLAIN
    assert [c["function"]["arguments"] for c in _sent_calls(server)] == ["{}"]


@pytest.mark.parametrize(
    "arguments",
    [r'"{\"query\": \"seal\"}"', r'"\"{\\\"query\\\": \\\"seal\\\"}\""', '{"query": "seal"}'],
)
def test_arguments_encoded_more_than_once_are_unpacked(
    served: Served, server: FakeModelServer, arguments: str
) -> None:
    server.loop += [call("search_documents", arguments), PLAIN]

    call_agent(served(), "Search.", "t")

    assert ran == [("search_documents", {"query": "seal", "limit": 5})]
    assert json.loads(_sent_calls(server)[0]["function"]["arguments"]) == {"query": "seal", "limit": 5}


@pytest.mark.parametrize(
    ("arguments", "what_is_wrong"),
    [
        pytest.param("{'query': 'seal'}", "not a JSON object", id="Python's own way"),
        pytest.param('{"query": "seal"', "not a JSON object", id="a missing brace"),
        pytest.param('["seal"]', "Wrong arguments", id="a list"),
        pytest.param("7", "Wrong arguments", id="a number"),
        pytest.param(
            '{"query": ["seal"], "limit": "many", "extra": 1}', "limit", id="wrong types and an extra"
        ),
        pytest.param('{"limit": 3}', "query", id="one that is required is missing"),
    ],
)
def test_wrong_arguments_are_told_to_the_model_and_never_run(
    served: Served, server: FakeModelServer, arguments: str, what_is_wrong: str
) -> None:
    server.loop += [call("search_documents", arguments), PLAIN]
    assistant = served()

    result = call_agent(assistant, "Search.", "t")

    assert ran == []
    assert what_is_wrong in _results(server)[0]
    assert result.final_answer == PLAIN
    (log,) = assistant.memory.read_tool_log("t")
    assert (log.status, log.tool_args) == ("failed", arguments)


def test_an_unknown_tool_is_answered_with_the_real_ones(served: Served, server: FakeModelServer) -> None:
    server.loop += [call("look_it_up", "{}"), PLAIN]
    assistant = served()

    assert call_agent(assistant, "Look.", "t").final_answer == PLAIN

    assert "list_documents, remember, search_documents" in _results(server)[0]
    assert assistant.memory.read_tool_log("t")[0].status == "failed"


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([call("list_documents", "{}")], id="the same call for ever"),
        pytest.param([call("look_it_up", "{}")], id="an unknown tool for ever"),
        pytest.param(
            [call("search_documents", json.dumps({"query": str(n)}), call_id=f"call_{n}") for n in range(20)],
            id="another argument each time",
        ),
    ],
)
def test_endless_calls_end_after_ten_requests_and_the_thread_goes_on(
    served: Served, server: FakeModelServer, replies: list[Raw]
) -> None:
    server.loop += replies
    server.forever = True
    assistant = served()

    result = call_agent(assistant, "Go on.", "t")

    assert len(server.requests) == 10
    assert (result.final_answer, result.completed) == (INABILITY, False)
    assert len(assistant.memory.read_tool_log("t")) == 10
    server.loop[:] = [PLAIN]
    assert call_agent(assistant, "And now?", "t").final_answer == PLAIN


def test_ids_used_again_in_later_rounds_are_made_unique(served: Served, server: FakeModelServer) -> None:
    server.loop += [call("list_documents", "{}")] * 3 + [PLAIN]

    call_agent(served(), "Go on.", "t")

    ids = [c["id"] for c in _sent_calls(server, 3)]
    assert len(ids) == len(set(ids)) == 3


def test_several_calls_in_one_reply_are_all_answered_failures_included(
    served: Served, server: FakeModelServer
) -> None:
    calls = (
        ToolCall("a", "list_documents", "{}"),
        ToolCall("b", "look_it_up", "{}"),
        ToolCall("c", "search_documents", "{broken"),
        ToolCall("d", "search_documents", '{"query": "seal"}'),
    )
    server.loop += [Reply("Let me look.", calls, "tool_calls"), PLAIN]
    assistant = served()

    call_agent(assistant, "Look.", "t")

    assert [name for name, _ in ran] == ["list_documents", "search_documents"]
    assert len(_results(server)) == 4
    assert [log.status for log in assistant.memory.read_tool_log("t")] == [
        "success",
        "failed",
        "failed",
        "success",
    ]


def _parts(*parts: dict[str, object]) -> Raw:
    return raw([{"tool_calls": [part]} for part in parts], finish="tool_calls")


QUERY = '{"query": "seal"}'
ONE = [("search_documents", {"query": "seal", "limit": 5})]
TWO = [*ONE, ("list_documents", {})]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(
            _parts(
                {"index": 0, "id": "a", "function": {"name": "search_"}},
                {"index": 0, "function": {"name": "documents", "arguments": '{"query"'}},
                {"index": 0, "function": {"arguments": ': "seal"}'}},
            ),
            ONE,
            id="a name that comes split",
        ),
        pytest.param(
            _parts(
                {"index": 0, "id": "a", "function": {"name": "search_documents", "arguments": '{"query"'}},
                {"index": 0, "id": "a", "function": {"name": "search_documents", "arguments": ': "seal"}'}},
            ),
            ONE,
            id="a name and id repeated in every delta",
        ),
        pytest.param(
            _parts(
                {"index": 0, "function": {"arguments": QUERY}},
                {"index": 0, "id": "a", "function": {"name": "search_documents"}},
            ),
            ONE,
            id="a name that comes late",
        ),
        pytest.param(
            _parts(
                {"function": {"name": "search_documents", "arguments": QUERY}},
                {"function": {"name": "list_documents", "arguments": "{}"}},
            ),
            TWO,
            id="neither index nor id",
        ),
        pytest.param(
            _parts(
                {"index": 0, "id": "a", "function": {"name": "search_documents", "arguments": QUERY}},
                {"index": 0, "id": "b", "function": {"name": "list_documents", "arguments": "{}"}},
            ),
            TWO,
            id="two calls under one index",
        ),
        pytest.param(
            _parts(
                {"index": None, "id": "", "function": {"name": "search_documents", "arguments": QUERY}},
                {"index": None, "id": "", "function": {"name": "list_documents", "arguments": ""}},
            ),
            TWO,
            id="null indexes and empty ids",
        ),
        pytest.param(
            _parts(
                {"index": 0, "id": "a", "function": {"name": "search_documents", "arguments": QUERY}},
                {"index": 1, "id": "a", "function": {"name": "list_documents", "arguments": "{}"}},
            ),
            TWO,
            id="one id for two calls",
        ),
        pytest.param(
            raw(
                [
                    {
                        "content": "Looking.",
                        "tool_calls": [
                            {
                                "index": 0,
                                "id": "a",
                                "function": {"name": "search_documents", "arguments": QUERY},
                            },
                            {"index": 1, "id": "b", "function": {"name": "list_documents", "arguments": {}}},
                        ],
                    }
                ],
                finish="tool_calls",
            ),
            TWO,
            id="several calls in one delta, text beside them, arguments as an object",
        ),
        pytest.param(
            raw(
                [
                    {
                        "tool_calls": [
                            {
                                "index": 3,
                                "id": "a",
                                "function": {"name": "search_documents", "arguments": QUERY},
                            }
                        ]
                    }
                ],
                finish="stop",
            ),
            ONE,
            id="a finish reason that says stop, and an index that starts at three",
        ),
    ],
)
def test_calls_are_put_together_however_a_server_sends_them(
    served: Served, server: FakeModelServer, reply: Raw, expected: list[object]
) -> None:
    server.loop += [reply, PLAIN]

    assert call_agent(served(), "Search.", "t").final_answer == PLAIN

    assert ran == expected


def test_a_call_cut_by_the_token_limit_is_never_run_and_ends_after_one_retry(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [call("remember", '{"text": "The seal was of ty', finish="length")]
    server.forever = True
    assistant = served()

    with pytest.raises(ModelError, match="cut off"):
        call_agent(assistant, "Remember the seal.", "t")

    assert ran == []
    assert len(server.requests) == 2
    assert assistant.memory.turns("t")[-1].error == CUT_AGAIN
    assert [log.status for log in assistant.memory.read_tool_log("t")] == ["failed", "failed"]


def test_a_cut_call_whose_arguments_are_whole_is_not_run_either(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [call("remember", '{"text": "The seal"}', finish="length"), PLAIN]

    assert call_agent(served(), "Remember the seal.", "t").final_answer == PLAIN

    assert ran == []


def test_a_cut_call_whose_server_hides_it_is_told_to_the_model(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [call("remember", '{"text": "The seal was of ty'), PLAIN]

    assert call_agent(served(), "Remember the seal.", "t").final_answer == PLAIN

    assert ran == []
    assert "not a JSON object" in _results(server)[0]


def test_a_lone_surrogate_in_arguments_ends_neither_turn_nor_thread(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [call("search_documents", r'{"query": "seal \ud83d"}'), PLAIN, PLAIN]
    assistant = served()

    assert call_agent(assistant, "Search.", "t").final_answer == PLAIN
    assert call_agent(assistant, "Again.", "t").final_answer == PLAIN

    assert "\ud83d" not in json.dumps(server.requests, ensure_ascii=False)
    assert "\ud83d" not in assistant.memory.read_tool_log("t")[0].tool_args


def test_a_tool_that_hangs_is_cut_off_and_logged_as_failed(served: Served, server: FakeModelServer) -> None:
    from researchassist.agent.tools import define

    def hang() -> str:
        """Hang for ever."""
        import time

        time.sleep(30)
        return "never"

    assistant = served(tool_seconds=0.2)
    assistant.toolbox.register(hang)
    assert define(hang).name == "hang"
    server.loop += [call("hang", "{}"), PLAIN]

    assert call_agent(assistant, "Hang.", "t").final_answer == PLAIN

    (log,) = assistant.memory.read_tool_log("t")
    assert log.status == "failed"
    assert "longer than 0.2 seconds" in str(log.error_message)


def test_text_that_looks_like_a_call_is_text(served: Served, server: FakeModelServer) -> None:
    written = '{"name": "list_documents", "arguments": {}}'
    server.loop += [texts(written)]

    assert call_agent(served(), "Say it.", "t").final_answer == written
    assert ran == []


def test_a_stream_that_ends_in_the_middle_of_a_call_runs_nothing(
    served: Served, server: FakeModelServer
) -> None:
    part = {"index": 0, "id": "a", "function": {"name": "list_documents", "arguments": ""}}
    server.loop += [Raw([chunk({"content": "Looking. "}), chunk({"tool_calls": [part]})])]

    with pytest.raises(ModelError, match="broke off"):
        call_agent(served(), "Look.", "t")

    assert ran == []
    assert DONE not in server.loop
