"""Promise 7: whatever a stop, a crash, a cut or a trim left behind, the next request is valid.

Random turns run against the strict server, which refuses what the real API refuses; the fixture
fails the test where it had to.
"""

import json
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import TurnRequest, stream_turn
from researchassist.errors import TurnRefused
from researchassist.llm.types import Reply, ToolCall
from tests.fake_model_server import FakeModelServer, Raw, Refusal, Script, chunk, problem_of

from .streams import call, raw, texts

names = st.sampled_from(["list_documents", "search_documents", "remember", "no such tool!", "", "x" * 90])
arguments = st.sampled_from(
    [
        "{}",
        "",
        "null",
        '{"query": "a"}',
        '{"text": "b"}',
        "{broken",
        "[1]",
        r'{"text": "\ud83d"}',
        '"{}"',
        "7",
    ]
)
ids = st.sampled_from(["", "call_1", "call_1", "call_2", "ü"])
tool_calls = st.lists(st.builds(ToolCall, ids, names, arguments), min_size=1, max_size=3)
replies = st.one_of(
    st.builds(
        Reply,
        st.sampled_from(["", "Let me look. "]),
        tool_calls.map(tuple),
        st.sampled_from(["tool_calls", "stop", "length"]),
    ),
    st.sampled_from(
        [
            texts("An answer."),
            texts("Half an ans", finish=None, done=False),
            texts("<think>hm</think>Yes."),
            raw([{"content": None}]),
            texts("Cut", finish="length"),
            call("remember", '{"text": "half', finish="length"),
            Refusal(500),
            Raw([chunk({"content": "x"}), b'data: {"error": "y"}\n\n']),
        ]
    ),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=st.lists(
        st.tuples(st.lists(replies, min_size=1, max_size=4), st.sampled_from([None, 1, 3, 5]), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    budget=st.sampled_from([3000, 128_000]),
)
def test_every_request_of_random_turns_is_valid(
    served: Callable[..., Assistant],
    server: FakeModelServer,
    turns: list[tuple[list[Script], int | None, bool]],
    budget: int,
) -> None:
    assistant = served(token_budget=budget)
    assistant.memory.delete_thread("t")
    server.requests.clear()
    for script, stop_after, retry in turns:
        server.loop[:] = [*script, texts("The end.")]
        seen = 0

        def stopped(limit: int | None = stop_after) -> bool:
            return limit is not None and seen >= limit  # noqa: B023  (read while it is counted)

        last = assistant.memory.turns("t")[-1:]
        request = TurnRequest("t", "What about it? 日本")
        if retry and last and last[0].answer is None:
            request = TurnRequest("t", retry_of=last[0].id)
        try:
            for _ in stream_turn(assistant, request, stopped):
                seen += 1
        except TurnRefused:
            continue

    for request in server.requests:
        assert problem_of(request) == ""
        ids_sent = [c["id"] for m in request["messages"] for c in m.get("tool_calls", [])]
        assert len(ids_sent) == len(set(ids_sent))
        for message in request["messages"]:
            for sent in message.get("tool_calls", []):
                assert isinstance(json.loads(sent["function"]["arguments"]), dict)
                assert 0 < len(sent["function"]["name"]) <= 64
            assert message.get("content") or message.get("tool_calls")
    assert assistant.memory.running_turns() == []
    assert all(m.content.strip() for m in assistant.memory.messages("t"))
