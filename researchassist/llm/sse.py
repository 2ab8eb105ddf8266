"""Server-sent events out of a byte stream, as model servers really send them. Pure.

Lines may end in LF, CR or CRLF, comments and unknown fields are skipped, and the last event may
lack its blank line. Bytes are decoded by whole lines, so that no character is cut in two.
"""

import re
from collections.abc import Iterable, Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


def payloads(pieces: Iterable[bytes]) -> Iterator[str]:
    """The data of each event in turn, several data lines of one event joined by LF."""
    data: list[str] = []
    for line in _lines(pieces):
        if not line:
            if data:
                yield "\n".join(data)
            data = []
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" ").decode("utf-8", "replace"))
    if data:
        yield "\n".join(data)


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    waiting = b""
    for piece in pieces:
        *lines, waiting = _LINE_END.split(waiting + piece)
        yield from lines
    yield from waiting.removesuffix(b"\r").splitlines()
