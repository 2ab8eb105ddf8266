"""Reading a model's stream so that a stop or a time limit takes effect at once.

A silent server blocks whoever reads from it; here a thread of its own does, and the turn looks
at its queue several times a second.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from researchassist.errors import ModelError

from .types import LanguageModel, Message, Piece, Retrying, ToolSchema

_LOOK_SECONDS = 0.1

_Queue = queue.SimpleQueue[Piece | Exception | None]


class StreamEnded(Exception):
    """The stream was given up: `why` is "stopped" or "timed_out"."""

    def __init__(self, why: str) -> None:
        super().__init__("It was stopped." if why == "stopped" else "It took longer than its time limit.")
        self.why = why


@dataclass(frozen=True)
class Limits:
    """When a stream is given up: `deadline` of time.monotonic, and seconds of silence."""

    deadline: float
    first: float
    between: float


def watched(stream: Iterator[Piece], *, stopped: Callable[[], bool], limits: Limits) -> Iterator[Piece]:
    """The pieces of `stream` until it ends.

    Raises StreamEnded within a tenth of a second after `stopped()` is true or the deadline has
    passed, ModelError where it was silent for too long, and whatever the stream itself raised.
    """
    pieces: _Queue = queue.SimpleQueue()
    given_up = threading.Event()
    reader = threading.Thread(target=_read, args=(stream, pieces, given_up), name="model-stream", daemon=True)
    reader.start()
    try:
        silence = limits.first
        last = time.monotonic()
        while True:
            _look(stopped, limits, silent_since=last, allowed=silence)
            try:
                piece = pieces.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if piece is None:
                return
            if isinstance(piece, Exception):
                raise piece
            last = time.monotonic()
            silence = limits.first + piece.seconds if isinstance(piece, Retrying) else limits.between
            yield piece
    finally:
        given_up.set()


@dataclass(frozen=True)
class WatchedModel:
    """A model whose every stream is watched, for whoever asks it without watching himself."""

    model: LanguageModel
    stopped: Callable[[], bool]
    limits: Limits

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[Piece]:
        """See `types.LanguageModel.stream`; raises StreamEnded too."""
        stream = self.model.stream(messages, tools, max_tokens)
        return watched(stream, stopped=self.stopped, limits=self.limits)


def _look(stopped: Callable[[], bool], limits: Limits, *, silent_since: float, allowed: float) -> None:
    """Raises where the stream is to be given up now."""
    now = time.monotonic()
    if stopped():
        raise StreamEnded("stopped")
    if now > limits.deadline:
        raise StreamEnded("timed_out")
    if now - silent_since > allowed:
        raise ModelError(f"The model server was silent for {allowed:g} seconds, so its answer was given up.")


def _read(stream: Iterator[Piece], pieces: _Queue, given_up: threading.Event) -> None:
    """The reading thread: passes on what comes, an error too, then the end."""
    try:
        for piece in stream:
            pieces.put(piece)
            if given_up.wait(piece.seconds if isinstance(piece, Retrying) else 0):
                break
    except Exception as error:  # noqa: BLE001  (raised again in the turn's thread)
        pieces.put(error)
    pieces.put(None)
