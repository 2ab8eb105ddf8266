"""A real HTTP server on loopback that speaks OpenAI's chat completions and plays a script.

Strict mode refuses what the real API refuses, so that a test fails where the product sends a
history that a real server would not take. Requests of the loop model and of the writer model are
told apart by their model's name.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from researchassist.llm.types import Reply

LOOP, WRITER = "loop-model", "writer-model"


@dataclass(frozen=True)
class Refusal:
    """An answer that is no stream: a status, a body, headers."""

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A stream's exact bytes, in pieces sent one by one, `pause` seconds apart."""

    pieces: Sequence[bytes]
    pause: float = 0.0


Script = str | Reply | Refusal | Raw | Path


class FakeModelServer:
    """Plays `loop` replies to the loop model and `writer` replies to the writer model, in order.

    The last loop reply is played again and again where `forever` is set. While `hold` is cleared,
    a reply starts and waits in its middle. `count_tokens` and `limit` make it refuse long requests.
    """

    def __init__(self, http: HTTPServer) -> None:
        self.url = http.url_for("/v1")
        self.loop: list[Script] = []
        self.writer: list[Script] = []
        self.forever = False
        self.strict = True
        self.hold = threading.Event()
        self.hold.set()
        self.limit: int | None = None
        self.count_tokens: Callable[[str], int] = lambda text: len(text) // 4
        self.requests: list[dict[str, Any]] = []
        self.writer_requests: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.too_long = 0
        self._lock = threading.Lock()
        self.handler: Callable[[Request], Response] = self.answer
        http.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._handled)

    def _handled(self, request: Request) -> Response:
        return self.handler(request)

    def answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        with self._lock:
            if body["model"] == WRITER:
                self.writer_requests.append(body)
                script: Script = self.writer.pop(0) if self.writer else "[]"
                return self._response(script, waits=False)
            self.requests.append(body)
            problem = problem_of(body) if self.strict else ""
            if problem:
                self.problems.append(problem)
                return self._response(Refusal(400, json.dumps({"error": {"message": problem}})), waits=False)
            if self.limit is not None and self.prompt_tokens(body) > self.limit:
                self.too_long += 1
                error = {
                    "message": "too long",
                    "code": "context_length_exceeded",
                    "type": "invalid_request_error",
                }
                return self._response(Refusal(400, json.dumps({"error": error})), waits=False)
            script = self.loop[0] if self.forever and len(self.loop) == 1 else self.loop.pop(0)
        return self._response(script, waits=True, prompt_tokens=self.prompt_tokens(body))

    def prompt_tokens(self, body: Mapping[str, Any]) -> int:
        """What a request counts, by `count_tokens` over its messages and tools."""
        return self.count_tokens(json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False))

    def _response(self, script: Script, *, waits: bool, prompt_tokens: int = 0) -> Response:
        if isinstance(script, Refusal):
            return Response(script.body, status=script.status, headers=dict(script.headers))
        if isinstance(script, Path):
            script = Raw([script.read_bytes()])
        if isinstance(script, Raw):
            return Response(_paced(script), content_type="text/event-stream")
        reply = Reply(script) if isinstance(script, str) else script
        return Response(self._stream(reply, waits, prompt_tokens), content_type="text/event-stream")

    def _stream(self, reply: Reply, waits: bool, prompt_tokens: int) -> Iterator[bytes]:
        half = len(reply.text) // 2
        yield chunk({"role": "assistant", "content": reply.text[:half]})
        if waits:
            self.hold.wait(60)
        yield chunk({"content": reply.text[half:]})
        for index, call in enumerate(reply.tool_calls):
            function = {"name": call.name, "arguments": call.arguments}
            yield chunk(
                {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}
            )
        yield chunk({}, finish=reply.finish_reason)
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": max(len(reply.text) // 4, 1)}
        yield chunk(None, usage=usage)
        yield b"data: [DONE]\n\n"


def _paced(raw: Raw) -> Iterator[bytes]:
    for piece in raw.pieces:
        yield piece
        time.sleep(raw.pause)


def chunk(
    delta: Mapping[str, Any] | None, *, finish: str | None = None, usage: Mapping[str, int] | None = None
) -> bytes:
    """One event of a stream; without a delta, one without choices, as usage comes."""
    choices = [] if delta is None else [{"index": 0, "delta": dict(delta), "finish_reason": finish}]
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "fake",
        "choices": choices,
    }
    if usage is not None:
        body["usage"] = dict(usage)
    return f"data: {json.dumps(body)}\n\n".encode()


def problem_of(body: Mapping[str, Any]) -> str:
    """Why the real API would refuse these messages; empty where it would take them."""
    waiting: list[str] = []
    for message in body["messages"]:
        role = message["role"]
        if waiting and role != "tool":
            return f"tool calls without results: {waiting}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                return f"a tool message without its call: {message.get('tool_call_id')}"
            waiting.remove(message["tool_call_id"])
        if role == "assistant":
            problem, waiting = _assistant(message)
            if problem:
                return problem
    return f"tool calls without results: {waiting}" if waiting else ""


def _assistant(message: Mapping[str, Any]) -> tuple[str, list[str]]:
    calls = message.get("tool_calls") or []
    ids = [call.get("id") for call in calls]
    if not message.get("content") and not calls:
        return "an assistant message with neither content nor calls", []
    if not all(ids) or len(set(ids)) != len(ids):
        return f"tool call ids empty or used twice: {ids}", []
    for call in calls:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return f"arguments that are no JSON object: {call['function']['arguments']!r}", []
    return "", ids
