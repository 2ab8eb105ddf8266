"""Reading a model's stream so that a stop or a time limit takes effect at once.

A silent server blocks whoever reads from it; here a thread of its own does, and the turn looks
at its queue several times a second.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator

from .types import Reply

_LOOK_SECONDS = 0.1


class StreamEnded(Exception):
    """The stream was given up: `why` is "stopped" or "timed_out"."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def watched(
    stream: Iterator[str | Reply], *, stopped: Callable[[], bool], deadline: float
) -> Iterator[str | Reply]:
    """The pieces of `stream` until it ends.

    Raises StreamEnded within a tenth of a second after `stopped()` is true or `deadline` (of
    time.monotonic) has passed, and whatever the stream itself raised.
    """
    pieces: queue.SimpleQueue[str | Reply | Exception | None] = queue.SimpleQueue()
    given_up = threading.Event()
    reader = threading.Thread(target=_read, args=(stream, pieces, given_up), name="model-stream", daemon=True)
    reader.start()
    try:
        while True:
            if stopped():
                raise StreamEnded("stopped")
            if time.monotonic() > deadline:
                raise StreamEnded("timed_out")
            try:
                piece = pieces.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if piece is None:
                return
            if isinstance(piece, Exception):
                raise piece
            yield piece
    finally:
        given_up.set()


def _read(
    stream: Iterator[str | Reply],
    pieces: "queue.SimpleQueue[str | Reply | Exception | None]",
    given_up: threading.Event,
) -> None:
    """The reading thread: passes on what comes, an error too, then the end."""
    try:
        for piece in stream:
            pieces.put(piece)
            if given_up.is_set():
                break
    except Exception as error:  # noqa: BLE001  (raised again in the turn's thread)
        pieces.put(error)
    pieces.put(None)
