"""Reading a file the person added; the page starts it, it is not typed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from researchassist.agent.ingest import ingest_bytes
from researchassist.agent.keep import hash_of
from researchassist.errors import CommandRefused
from researchassist.papers import formats

from .definition import Command, CommandContext, CommandResult
from .entries import entries_of, heading_of


def run(context: CommandContext, argument: str) -> CommandResult:
    """The document's card; `argument` is the file's name."""
    if context.file is None or not context.file.is_file():
        raise CommandRefused("The file is no longer at hand. Add it once more.")
    data = formats.read_bytes(context.file, context.assistant.limits)
    with _alone(hash_of(data)):
        context.tell("Reading…")
        done = ingest_bytes(context.assistant, argument, data, progress=context.tell)
    cards, rows = entries_of(done)
    return CommandResult(heading_of(done), cards, rows)


_reading: set[str] = set()
_changed = threading.Condition()


@contextmanager
def _alone(file_hash: str) -> Iterator[None]:
    """The same bytes are read by one at a time, so that the second finds what the first has kept."""
    with _changed:
        _changed.wait_for(lambda: file_hash not in _reading)
        _reading.add(file_hash)
    try:
        yield
    finally:
        with _changed:
            _reading.discard(file_hash)
            _changed.notify_all()


COMMAND = Command("file", "read a file into memory", run, "NAME", "Waiting for its turn…", typed=False)
