"""Failures of model servers: bounded retries that are seen, then a sentence; nothing lost or leaked."""

import json
import logging
import socket
import time
from collections.abc import Callable

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client, override_settings

from researchassist.agent import assistant as assistants
from researchassist.agent.assistant import Assistant
from researchassist.agent.events import ModelRetrying, TurnEvent
from researchassist.agent.runner import TurnRunner
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.errors import ModelError, TurnRefused
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.fake_model_server import LOOP, FakeModelServer, Raw, Refusal, chunk
from tests.tiny_embedder import TinyEmbedder

from .conftest import KEY, PLAIN
from .streams import call, texts

Served = Callable[..., Assistant]


def _retries(events: list[TurnEvent]) -> list[ModelRetrying]:
    return [event for event in events if isinstance(event, ModelRetrying)]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Refusal(429, headers={"Retry-After": "0"}), "takes no more requests"),
        (Refusal(503, "busy"), r"error \(503\)"),
        (Refusal(500), r"error \(500\)"),
        (Raw([]), "broke off"),
        (texts(finish=None, done=False), "broke off"),
    ],
)
def test_a_passing_failure_is_tried_again_and_seen(
    served: Served, server: FakeModelServer, failure: Refusal | Raw, reason: str
) -> None:
    server.loop += [failure, PLAIN]
    assistant = served(retries=2)

    events = list(stream_turn(assistant, TurnRequest("t", "What failed?")))

    (retry,) = _retries(events)
    assert reason.replace("\\", "") in retry.reason
    assert assistant.memory.messages("t")[-1].content == PLAIN


def test_retries_are_bounded_then_a_sentence_and_the_question_stays(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [Refusal(503, headers={"Retry-After": "0"})]
    server.forever = True
    assistant = served(retries=2)

    with pytest.raises(ModelError, match=r"answered with an error \(503\)"):
        call_agent(assistant, "What failed?", "t")

    assert len(server.requests) == 3
    assert [m.content for m in assistant.memory.messages("t")] == ["What failed?"]


def test_the_pause_a_server_asks_for_is_kept(served: Served, server: FakeModelServer) -> None:
    server.loop += [Refusal(429, headers={"Retry-After": "1"}), PLAIN]
    started = time.monotonic()

    call_agent(served(retries=1), "What failed?", "t")

    assert time.monotonic() - started >= 1


def test_a_pause_too_long_to_wait_for_is_said_at_once(served: Served, server: FakeModelServer) -> None:
    server.loop += [Refusal(429, headers={"Retry-After": "3600"})]

    with pytest.raises(ModelError, match="takes no more requests for now"):
        call_agent(served(retries=2), "What failed?", "t")


def test_what_was_written_is_not_written_twice_by_a_retry(served: Served, server: FakeModelServer) -> None:
    server.loop += [texts("The pump ", finish=None, done=False), PLAIN]

    with pytest.raises(ModelError, match="broke off"):
        call_agent(served(retries=2), "What failed?", "t")

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (Refusal(401, f"bad key {KEY}"), r"refused the key \(401\)"),
        (Refusal(403), r"refused the key \(403\)"),
        (Refusal(404, "no such model"), f"does not have the model {LOOP}"),
        (Refusal(429, json.dumps({"error": {"code": "insufficient_quota"}})), "no quota"),
        (Refusal(400, '{"error": "model does not support tools"}'), "cannot call tools"),
        (Refusal(418), r"refused the request \(418\)"),
        (Refusal(200, "<html>A proxy</html>"), "broke off"),
    ],
)
def test_a_lasting_refusal_is_a_sentence_after_one_request(
    served: Served, server: FakeModelServer, refusal: Refusal, sentence: str
) -> None:
    server.loop += [refusal, PLAIN, PLAIN]
    assistant = served(retries=2 if refusal.status != 200 else 0)

    with pytest.raises(ModelError, match=sentence):
        call_agent(assistant, "What failed?", "t")

    assert len(server.requests) == 1
    assert call_agent(assistant, "Again?", "t").final_answer == PLAIN


def test_a_server_that_knows_no_usage_is_asked_without(served: Served, server: FakeModelServer) -> None:
    server.loop += [Refusal(400, '{"error": {"message": "unknown field stream_options"}}'), PLAIN, PLAIN]
    assistant = served(retries=1)

    assert call_agent(assistant, "What failed?", "t").final_answer == PLAIN
    call_agent(assistant, "And then?", "t")

    assert ["stream_options" in request for request in server.requests] == [True, False, False]


def test_an_unreachable_server_is_a_sentence(transactional_db: None) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://user:{KEY}@127.0.0.1:{free.getsockname()[1]}/v1"
    model = OpenAICompatibleModel(LOOP, key=KEY, base_url=url, retries=0)
    assistant = assistants.build(MemoryManager(Options(), TinyEmbedder()), model=model, tools=[])

    with pytest.raises(ModelError, match="cannot be reached") as failure:
        call_agent(assistant, "What failed?", "t")

    assert KEY not in str(failure.value)
    assert assistant.memory.messages("t")[0].content == "What failed?"


def test_a_server_silent_before_its_first_token_is_given_up(served: Served, server: FakeModelServer) -> None:
    server.loop += [Raw([b": connected\n\n"] * 20, 0.1)]
    started = time.monotonic()

    with pytest.raises(ModelError, match=r"silent for 0\.3 seconds"):
        call_agent(served(first_token_timeout=0.3), "What failed?", "t")

    assert time.monotonic() - started < 1.5


def test_a_server_silent_between_tokens_is_given_up_and_the_text_kept(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [Raw([chunk({"content": "The pump "}), *[b": still here\n\n"] * 20], 0.1)]
    assistant = served(token_timeout=0.3)

    with pytest.raises(ModelError, match="silent"):
        call_agent(assistant, "What failed?", "t")

    assert assistant.memory.turns("t")[-1].partial_text == "The pump "


def test_a_model_that_reasons_for_long_is_not_silent(served: Served, server: FakeModelServer) -> None:
    reasoning = [chunk({"reasoning_content": "hm"})] * 8
    server.loop += [Raw([*reasoning, chunk({"content": PLAIN}, finish="stop")], 0.1)]

    assert call_agent(served(token_timeout=0.3), "What failed?", "t").final_answer == PLAIN


def test_the_time_limit_of_a_turn_ends_it_like_the_cap(served: Served, server: FakeModelServer) -> None:
    server.loop += [Raw([chunk({"content": "word "})] * 100, 0.05)]

    result = call_agent(served(turn_seconds=0.5), "What failed?", "t")

    assert result.turn.outcome == "timed_out"
    assert "not able to finish" in result.final_answer
    assert result.completed is True


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Raw([b": connected\n\n"] * 100, 0.1), id="before the first token"),
        pytest.param(Raw([chunk({"content": "word "})] * 200, 0.05), id="between tokens"),
        pytest.param(Refusal(429, headers={"Retry-After": "20"}), id="while waiting to try again"),
    ],
)
def test_stop_works_within_a_second_at_any_point(
    served: Served, server: FakeModelServer, reply: Raw | Refusal
) -> None:
    server.loop += [reply, PLAIN]
    assistant = served(retries=1)
    runner = TurnRunner(assistant)
    started = runner.start(TurnRequest("t", "What failed?"))
    time.sleep(0.6)

    asked = time.monotonic()
    assert runner.stop(started.turn_id)
    assert runner.wait_idle(5)

    assert time.monotonic() - asked < 1
    assert assistant.memory.turn(started.turn_id).outcome == "stopped"
    server.loop[:] = [PLAIN]
    assert call_agent(assistant, "And now?", "t").final_answer == PLAIN


def test_two_threads_at_once_do_not_mix_and_one_thread_takes_one_turn(
    served: Served, server: FakeModelServer
) -> None:
    def answer_to(name: str) -> str:
        return f"This is the answer for {name} and for nobody else."

    assistant = served()
    server.hold.clear()

    def by_question(request):
        body = json.loads(request.data)
        if body["model"] == LOOP:
            question = body["messages"][1]["content"].split("\n")[1]
            rounds = sum(m["role"] == "tool" for m in body["messages"])
            server.loop[:] = [answer_to(question) if rounds else call("list_documents", "{}")]
        return server.answer(request)

    server.handler = by_question
    runner = TurnRunner(assistant)
    for name in ("alice", "bob"):
        runner.start(TurnRequest(name, name))
    with pytest.raises(TurnRefused):
        runner.start(TurnRequest("alice", "A second message meanwhile"))
    server.hold.set()
    assert runner.wait_idle(20)

    for name in ("alice", "bob"):
        assert [m.content for m in assistant.memory.messages(name)] == [name, answer_to(name)]
        assert len(assistant.memory.read_tool_log(name)) == 1


def test_the_key_is_nowhere(
    served: Served, server: FakeModelServer, caplog: pytest.LogCaptureFixture, client: Client
) -> None:
    caplog.set_level(logging.DEBUG)
    echoed = json.dumps(
        {"error": {"message": f"Incorrect key {KEY}", "headers": {"authorization": f"Bearer {KEY}"}}}
    )
    server.loop += [
        Refusal(401, echoed),
        Refusal(500, echoed),
        Raw([chunk({"content": "The pump "}), f'data: {{"error": {{"message": "{KEY}"}}}}\n\n'.encode()]),
        PLAIN,
    ]
    server.writer += [Refusal(401, echoed), Refusal(401, echoed)]
    assistant = served()
    pages = []
    for question in ("One?", "Two?", "Three?", "Four?"):
        list(stream_turn(assistant, TurnRequest("t", question)))
        pages.append(client.get("/threads/t").content.decode())
    addresses = [f"/turns/{turn.id}/used" for turn in assistant.memory.turns("t")]
    pages += [client.get(address).content.decode() for address in addresses]

    assert "refused the key" in pages[0]
    assert assistant.memory.turns("t")[-1].helpers["entities_question"]["status"] == "failed"
    for page in pages:
        assert "sk-SECRET" not in page
    assert "sk-SECRET" not in caplog.text
    connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = settings.DATABASES["default"]["NAME"]
    with open(file, "rb") as handle:
        assert b"sk-SECRET" not in handle.read()


def test_stop_works_while_the_conversation_is_being_condensed(
    served: Served, server: FakeModelServer
) -> None:
    server.writer += [Raw([b": connected\n\n"] * 100, 0.1)]
    assistant = served(token_budget=4000)
    for number in range(4):
        assistant.memory.write_conversational_memory(f"Message {number}. " + "word " * 900, "user", "t")
    runner = TurnRunner(assistant)
    started = runner.start(TurnRequest("t", "And now?"))
    time.sleep(0.6)

    asked = time.monotonic()
    runner.stop(started.turn_id)
    assert runner.wait_idle(5)

    assert time.monotonic() - asked < 1
    assert assistant.memory.turn(started.turn_id).outcome == "stopped"
    assert all(m.summary_id is None for m in assistant.memory.messages("t"))
    assert server.requests == []


def test_a_helper_that_hangs_is_given_up_and_recorded(served: Served, server: FakeModelServer) -> None:
    server.loop += [PLAIN]
    server.writer += [Raw([chunk({"content": "["})] * 100, 0.1)]
    assistant = served(turn_seconds=0.5)

    result = call_agent(assistant, "What failed?", "t")

    assert result.final_answer == PLAIN
    assert result.turn.helpers["entities_question"] == {
        "status": "failed",
        "error": "It took longer than its time limit.",
    }
    assert result.turn.helpers["entities_answer"]["status"] == "ok"


@pytest.mark.parametrize("debug", [True, False])
def test_the_error_page_holds_no_key(
    served: Served, client: Client, monkeypatch: pytest.MonkeyPatch, debug: bool
) -> None:
    served()
    client.raise_request_exception = False

    def broken(*_: object, **__: object) -> None:
        raise ValueError("a bug in a view")

    monkeypatch.setattr(MemoryManager, "latest_threads", broken)
    with override_settings(DEBUG=debug, OPENAI_API_KEY=KEY, OPENAI_API_URL=f"http://user:{KEY}@127.0.0.1/v1"):
        reply = client.get("/")

    assert reply.status_code == 500
    assert ("a bug in a view" in reply.content.decode()) is debug
    assert "sk-SECRET" not in reply.content.decode()
