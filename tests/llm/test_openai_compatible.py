import json
import socket
import threading
import time

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from researchassist.errors import ModelError
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.llm.types import Reply, Usage, complete

KEY = "sk-very-secret-key"
QUESTION = [{"role": "user", "content": "Who hunts at night? 日本"}]
PATH = "/v1/chat/completions"


def event(delta: dict | None = None, finish: str | None = None, **more) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    body = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    return f"data: {json.dumps(body | more)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


@pytest.fixture
def model(httpserver: HTTPServer) -> OpenAICompatibleModel:
    return model_at(httpserver.url_for("/v1"))


def model_at(base_url: str, **limits) -> OpenAICompatibleModel:
    return OpenAICompatibleModel("owl-1", key=KEY, base_url=base_url, **{"retries": 0} | limits)


def serve(httpserver: HTTPServer, *events: bytes) -> None:
    httpserver.expect_request(PATH).respond_with_handler(
        lambda _: Response(iter(events), content_type="text/event-stream")
    )


def asked(model: OpenAICompatibleModel, **more) -> tuple[list[str], Reply]:
    *pieces, reply = model.stream(QUESTION, **more)
    return pieces, reply


def sent(httpserver: HTTPServer) -> dict:
    return httpserver.log[-1][0].get_json()


def test_text_arrives_in_pieces_and_whole(model, httpserver):
    serve(httpserver, event({"role": "assistant", "content": "An "}), event({"content": "owl. 🦉"}), DONE)
    assert asked(model) == (["An ", "owl. 🦉"], Reply("An owl. 🦉"))


def test_calls_and_usage_arrive(model, httpserver):
    part = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    serve(httpserver, event({"tool_calls": [part]}), event({}, "tool_calls"), event(usage=usage), DONE)
    _, reply = asked(model)
    assert [(c.id, c.name, c.arguments) for c in reply.tool_calls] == [("c1", "look", "{}")]
    assert (reply.finish_reason, reply.usage) == ("tool_calls", Usage(7, 3))


def test_the_request_is_what_a_server_expects(model, httpserver):
    serve(httpserver, event({"content": "x"}), DONE)
    tool = {"type": "function", "function": {"name": "look", "description": "d", "parameters": {}}}
    asked(model, tools=[tool], max_tokens=9)
    request: Request = httpserver.log[-1][0]
    body = sent(httpserver)
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["messages"], body["stream"]) == ("owl-1", QUESTION, True)
    assert (body["tools"], body["tool_choice"], body["max_tokens"]) == ([tool], "auto", 9)


def test_without_tools_none_are_named(model, httpserver):
    serve(httpserver, event({"content": "x"}), DONE)
    asked(model)
    assert not {"tools", "tool_choice", "max_tokens"} & sent(httpserver).keys()


def test_one_prompt_gives_one_text(model, httpserver):
    serve(httpserver, event({"content": "a"}), event({"content": "b"}), DONE)
    assert complete(model, "Say ab", max_tokens=5) == "ab"


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (401, "refused the key"),
        (403, "refused the key"),
        (404, "does not have the model owl-1"),
        (429, "takes no more requests for now"),
        (500, r"answered with an error \(500\)"),
        (400, r"refused the request \(400\)"),
    ],
)
def test_a_refusal_is_a_sentence_without_the_key(model, httpserver, status: int, sentence: str):
    body = {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "bad"}}
    httpserver.expect_request(PATH).respond_with_json(body, status=status)
    with pytest.raises(ModelError, match=sentence) as failure:
        asked(model)
    assert KEY not in str(failure.value)
    assert failure.value.__cause__ is None
    assert failure.value.__suppress_context__


def test_a_failed_request_is_sent_again_as_often_as_set(httpserver):
    httpserver.expect_request(PATH).respond_with_json({}, status=500)
    with pytest.raises(ModelError):
        asked(model_at(httpserver.url_for("/v1"), retries=1))
    assert len(httpserver.log) == 2


def test_a_closed_port_is_a_sentence():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(ModelError, match="cannot be reached"):
        asked(model_at(f"http://127.0.0.1:{port}/v1"))


def test_a_silent_server_is_given_up(httpserver):
    release = threading.Event()

    def slow(_: Request) -> Response:
        release.wait(10)
        return Response("")

    httpserver.expect_request(PATH).respond_with_handler(slow)
    started = time.monotonic()
    with pytest.raises(ModelError, match="silent for too long"):
        asked(model_at(httpserver.url_for("/v1"), read_timeout=0.4))
    release.set()
    assert time.monotonic() - started < 3


def test_silence_in_the_middle_is_given_up_and_the_text_before_it_was_given(httpserver):
    release = threading.Event()

    def halting():
        yield event({"content": "An "})
        release.wait(10)

    httpserver.expect_request(PATH).respond_with_handler(
        lambda _: Response(halting(), content_type="text/event-stream")
    )
    stream = model_at(httpserver.url_for("/v1"), read_timeout=0.4).stream(QUESTION)
    assert next(stream) == "An "
    with pytest.raises(ModelError, match=r"silent for too long|broke off"):
        next(stream)
    release.set()


@pytest.mark.parametrize(
    "broken",
    [
        b'data: {"error": {"message": "overloaded sk-very-secret-key", "code": 503}}\n\n',
        b"data: {not json\n\n",
        b'event: error\ndata: {"error": "sk-very-secret-key"}\n\n',
        b"data: \xff\xfe\n\n",
    ],
)
def test_an_error_in_the_middle_is_a_sentence_without_what_was_sent(model, httpserver, broken: bytes):
    serve(httpserver, event({"content": "An "}), broken, DONE)
    stream = model.stream(QUESTION)
    assert next(stream) == "An "
    with pytest.raises(ModelError, match=r"broke off its answer|cannot be read") as failure:
        list(stream)
    assert KEY not in str(failure.value)


def test_an_answer_that_is_no_stream_is_an_error(model, httpserver):
    httpserver.expect_request(PATH).respond_with_data("<html>A proxy</html>", content_type="text/html")
    with pytest.raises(ModelError, match="broke off its answer"):
        asked(model)


def test_a_server_that_does_not_stream_is_understood(model, httpserver):
    message = {"role": "assistant", "content": "An owl."}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    httpserver.expect_request(PATH).respond_with_json(body)
    assert asked(model)[1].text == "An owl."


def test_odd_chunks_are_no_error(model, httpserver):
    serve(
        httpserver,
        b": keep-alive\n\n",
        event(),
        b'data: {"choices": null}\n\n',
        event({"content": None, "tool_calls": None}),
        event({"content": "ok"}),
        DONE,
    )
    assert asked(model)[1].text == "ok"
