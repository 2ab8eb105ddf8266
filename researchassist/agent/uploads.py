"""Files the person added, from the browser to the end of their reading.

Each waits in the data folder under the id of the run that reads it, so that a run cut off by a crash
can be run again; what was read is dropped.
"""

import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from researchassist.errors import UnreadableFile
from researchassist.options import Options

_LONGEST_NAME = 200
# Without scripts several files come in one request.
_FILES_AT_ONCE = 5


@dataclass(frozen=True)
class Waiting:
    """A file that waits to be read; the run that reads it has the same id."""

    id: str


def largest_request(options: Options) -> int:
    """The most bytes a request with files may have."""
    return _FILES_AT_ONCE * options.file_megabytes * 1_000_000


def receive(pieces: Iterable[bytes]) -> Waiting:
    """Writes a file to disk piece by piece. Raises UnreadableFile where the disk does not take it."""
    waiting = Waiting(uuid4().hex)
    try:
        path_of(waiting.id).parent.mkdir(exist_ok=True)
        with path_of(waiting.id).open("wb") as file:
            for piece in pieces:
                file.write(piece)
    except OSError as error:
        drop(waiting.id)
        raise UnreadableFile(f"The file could not be stored ({error.strerror}).") from error
    return waiting


def path_of(run_id: str) -> Path:
    """Where the file of a run waits, if it has one."""
    return Path(settings.DATA_DIR) / "incoming" / run_id


def drop(run_id: str) -> None:
    """Removes the file of a run, if it has one."""
    with contextlib.suppress(OSError):
        path_of(run_id).unlink()


def waiting_for(seconds: float) -> list[str]:
    """The run ids of files that have waited longer than that."""
    folder = path_of("none").parent
    if not folder.is_dir():
        return []
    return [file.name for file in folder.iterdir() if time.time() - file.stat().st_mtime > seconds]


def name_of(name: str) -> str:
    """A file's name as it is shown: without folders, on one line, not too long."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    line = " ".join("".join(c if c.isprintable() else " " for c in last).split())
    return line[:_LONGEST_NAME] or "file"
