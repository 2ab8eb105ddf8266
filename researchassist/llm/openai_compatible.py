"""Chat completions through the OpenAI SDK, from any server that speaks them.

Owns requests, time-outs, retries and what failures are called; the assembler owns the reply.
What a server echoes (keys included) never gets into an error's text.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import httpx2
import openai

from researchassist.errors import ModelError

from .assembler import Assembler
from .types import Message, Reply, ToolSchema


class OpenAICompatibleModel:
    """One model on one server."""

    def __init__(
        self,
        name: str,
        *,
        key: str,
        base_url: str = "",
        connect_timeout: float = 10.0,
        read_timeout: float = 120.0,
        retries: int = 2,
    ) -> None:
        """`base_url` empty: OpenAI's own. Time-outs are in seconds."""
        self.name = name
        self._host = urlsplit(base_url).hostname or "OpenAI" if base_url else "OpenAI"
        self._own_server = bool(base_url)
        self._limits = f"{connect_timeout:g} s to connect, {read_timeout:g} s between bytes"
        self._client = openai.OpenAI(
            # Local servers want none, but the SDK insists on one.
            api_key=key or "not-needed",
            base_url=base_url or None,
            timeout=httpx2.Timeout(read_timeout, connect=connect_timeout),
            max_retries=retries,
        )

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """See `types.LanguageModel.stream`."""
        request: dict[str, object] = {
            "model": self.name,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            request |= {"tools": list(tools), "tool_choice": "auto"}
        if max_tokens is not None:
            # OpenAI's reasoning models refuse the old name, other servers may not know the new one.
            request["max_tokens" if self._own_server else "max_completion_tokens"] = max_tokens
        assembler = Assembler()
        try:
            with self._client.chat.completions.create(**request) as chunks:  # type: ignore[call-overload]
                for chunk in chunks:
                    if text := assembler.feed(chunk.model_dump(warnings=False)):
                        yield text
        except openai.OpenAIError as error:
            raise ModelError(self._sentence(error)) from None
        except httpx2.HTTPError:
            raise ModelError(f"The model server ({self._host}) broke off its answer.") from None
        yield assembler.reply()

    def _sentence(self, error: openai.OpenAIError) -> str:
        """What happened, for the person; nothing of what the server wrote."""
        return f"The model server ({self._host}) {self._what_happened(error)}"

    def _what_happened(self, error: openai.OpenAIError) -> str:
        if isinstance(error, openai.APITimeoutError):
            return f"was silent for too long (limits: {self._limits})."
        if isinstance(error, openai.APIConnectionError):
            return "cannot be reached. Is it running, and is OPENAI_BASE_URL right?"
        if not isinstance(error, openai.APIStatusError):
            return "broke off its answer with an error."
        code = error.status_code
        return {
            401: "refused the key (401). Check OPENAI_API_KEY.",
            403: "refused the key (403). Check OPENAI_API_KEY.",
            404: f"does not have the model {self.name} (404). Check RESEARCHASSIST_LOOP_MODEL, "
            "RESEARCHASSIST_WRITER_MODEL and OPENAI_BASE_URL.",
            429: "takes no more requests for now (429). Try again later.",
        }.get(code, f"answered with an error ({code}).")
