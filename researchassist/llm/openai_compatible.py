"""Chat completions through the OpenAI SDK, from any server that speaks them.

Owns requests, retries and what failures are called; sse.py, thinking.py and assembler.py own the
reply. What a server echoes (keys included) never gets into an error's text.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from researchassist.errors import ContextTooLong, ModelError

from .assembler import Assembler
from .sse import payloads
from .types import Message, Piece, Retrying, ToolSchema, Withdrawn

# A server that asks for a longer pause is not waited for.
_LONGEST_WAIT = 30.0
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (length|window|size)|maximum context|too many tokens|n_ctx"
    r"|prompt is too long",
    re.IGNORECASE,
)


class _Passing(Exception):
    """A failure after which sending the request again may help; `wait` is what the server asked for."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


class OpenAICompatibleModel:
    """One model on one server. Threads may share it."""

    def __init__(
        self,
        name: str,
        *,
        key: str,
        base_url: str = "",
        connect_timeout: float = 10.0,
        read_timeout: float = 180.0,
        retries: int = 2,
    ) -> None:
        """`base_url` empty: OpenAI's own. Time-outs are in seconds."""
        self.name = name
        self._host = (urlsplit(base_url).hostname or base_url) if base_url else "OpenAI"
        self._own_server = bool(base_url)
        self._retries = retries
        self._limits = f"{connect_timeout:g} s to connect, {read_timeout:g} s between bytes"
        # Some servers refuse the wish for usage; they are not asked again.
        self._asks_usage = True
        self._client = openai.OpenAI(
            # Local servers want none, but the SDK insists on one.
            api_key=key or "not-needed",
            base_url=base_url or None,
            timeout=httpx2.Timeout(read_timeout, connect=connect_timeout),
            # Ours are visible to the person, the SDK's are not.
            max_retries=0,
        )

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[Piece]:
        """See `types.LanguageModel.stream`."""
        for attempt in range(self._retries + 1):
            begun = False
            try:
                for piece in self._once(self._request(messages, tools, max_tokens)):
                    begun = begun or piece != ""
                    yield piece
                return
            except _Passing as failure:
                wait = failure.wait if failure.wait is not None else 2**attempt * random.uniform(0.5, 1)  # noqa: S311
                if begun or attempt == self._retries or wait > _LONGEST_WAIT:
                    raise self._error(str(failure)) from None
                yield Retrying(str(self._error(str(failure).split(". ")[0])), wait)

    def _request(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], max_tokens: int | None
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.name, "messages": list(messages), "stream": True}
        if self._asks_usage:
            request["stream_options"] = {"include_usage": True}
        if tools:
            request |= {"tools": list(tools), "tool_choice": "auto"}
        if max_tokens is not None:
            # OpenAI's reasoning models refuse the old name, other servers may not know the new one.
            request["max_tokens" if self._own_server else "max_completion_tokens"] = max_tokens
        return request

    def _once(self, request: Mapping[str, Any]) -> Iterator[Piece]:
        """One request: its pieces, then its reply. Raises ModelError, or _Passing where it may pass."""
        try:
            with self._client.chat.completions.with_streaming_response.create(**request) as response:
                yield from self._pieces(response)
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APITimeoutError:
            raise self._error(f"was silent for too long (limits: {self._limits}).") from None
        except openai.APIConnectionError:
            raise _Passing("cannot be reached. Is it running, and is OPENAI_BASE_URL right?") from None
        except httpx2.TimeoutException:
            raise self._error(f"was silent for too long (limits: {self._limits}).") from None
        except httpx2.HTTPError:
            raise _Passing("broke off its answer.") from None

    def _pieces(self, response: Any) -> Iterator[Piece]:
        assembler, done = Assembler(), False
        for payload in self._payloads(response):
            if payload.strip() == "[DONE]":
                done = True
                break
            text, withdrawn = assembler.feed(self._parsed(payload))
            if withdrawn:
                yield Withdrawn()
            # An empty piece is a sign of life: the model reasons, or writes a call.
            yield text
        if rest := assembler.end():
            yield rest
        if not (done or assembler.finished):
            raise _Passing("broke off its answer.")
        yield assembler.reply()

    @staticmethod
    def _payloads(response: Any) -> Iterator[str]:
        """The events of a stream, or the body of a server that does not stream."""
        if "json" in response.headers.get("content-type", ""):
            return iter([response.read().decode("utf-8", "replace"), "[DONE]"])
        return payloads(response.iter_bytes())

    def _parsed(self, payload: str) -> Mapping[str, Any]:
        try:
            chunk = json.loads(payload)
        except ValueError:
            raise self._error("sent an answer that cannot be read.") from None
        if not isinstance(chunk, dict):
            raise self._error("sent an answer that cannot be read.")
        if chunk.get("error"):
            if _TOO_LONG.search(json.dumps(chunk["error"])):
                raise ContextTooLong(f"The request is longer than the model server ({self._host}) takes.")
            raise self._error("broke off its answer with an error.")
        return chunk

    def _refused(self, error: openai.APIStatusError) -> Exception:
        """What a status other than 200 means."""
        code, body = error.status_code, error.response.text
        if code in (400, 413) and _TOO_LONG.search(body):
            return ContextTooLong(f"The request is longer than the model server ({self._host}) takes.")
        if code == 400 and "stream_options" in body and self._asks_usage:
            self._asks_usage = False
            return _Passing("does not count tokens.", 0.0)
        passing = code >= 500 or code in (408, 409) or (code == 429 and "insufficient_quota" not in body)
        what = self._what_a_status_means(code, body)
        return _Passing(what, _retry_after(error.response.headers)) if passing else self._error(what)

    def _what_a_status_means(self, code: int, body: str) -> str:
        if code == 429 and "insufficient_quota" in body:
            return "has no quota left for this key (429)."
        if code == 400 and "support" in body and "tool" in body:
            return f"says that the model {self.name} cannot call tools (400). Set another model."
        if code >= 500 or code in (408, 409):
            return f"answered with an error ({code})."
        return {
            401: "refused the key (401). Check OPENAI_API_KEY.",
            403: "refused the key (403). Check OPENAI_API_KEY.",
            404: f"does not have the model {self.name} (404). Check RESEARCHASSIST_LOOP_MODEL, "
            "RESEARCHASSIST_WRITER_MODEL and OPENAI_BASE_URL.",
            429: "takes no more requests for now (429). Try again later.",
        }.get(code, f"refused the request ({code}).")

    def _error(self, what: str) -> ModelError:
        return ModelError(f"The model server ({self._host}) {what}")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks to wait, where it says so in seconds."""
    value = headers.get("retry-after", "")
    return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else None
