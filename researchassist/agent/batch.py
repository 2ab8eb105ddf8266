"""Many documents at once: files read side by side, and metadata dumps embedded across documents.

Owns what runs in parallel: reading, in child processes watched by threads of their own. Embedding
and writing stay in the caller's thread, one document or batch after the other, so that whatever
was finished when a run is cut off is whole and is skipped the next time.
"""

import gzip
import json
import os
import zlib
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from researchassist.errors import NoText, ResearchAssistError, UnreadableFile
from researchassist.memory.text import storable
from researchassist.papers import formats, references
from researchassist.papers.extracted import Extracted
from researchassist.papers.process import Limits

from .assistant import Assistant
from .ingest import known_file
from .keep import Found, Ingested, hash_of, keep_all, keep_failure, keep_file

Outcome = Ingested | ResearchAssistError

_LONGEST_LINE = 1_000_000


@dataclass(frozen=True)
class _Read:
    """A file that was read: its hash, and its documents, or why there are none, or nothing where
    its bytes are known."""

    file_hash: str
    found: Sequence[Extracted] = ()
    error: UnreadableFile | None = None


def ingest_files(
    assistant: Assistant, paths: Sequence[Path], *, jobs: int = 0
) -> Iterator[tuple[Path, Outcome]]:
    """Keeps files in their order, reading the next ones meanwhile; each is yielded once it is kept.

    One that cannot be read is yielded with the error; the others go on.
    """
    jobs = jobs or min(os.cpu_count() or 1, 4)
    known = {one.file_hash for one in assistant.memory.documents() if one.state != "failed"}
    waiting: deque[tuple[Path, Future[_Read]]] = deque()
    left = iter(paths)
    with ThreadPoolExecutor(jobs, thread_name_prefix="reading") as pool:
        try:
            while True:
                for path in islice(left, 2 * jobs - len(waiting)):
                    waiting.append((path, pool.submit(_read, path, assistant.limits, known)))
                if not waiting:
                    return
                path, reading = waiting.popleft()
                yield path, _keep(assistant, path, reading.result())
        finally:
            pool.shutdown(cancel_futures=True)


def _read(path: Path, limits: Limits, known: Collection[str]) -> _Read:
    """Reads a file without touching the database."""
    try:
        data = formats.read_bytes(path, limits)
    except UnreadableFile as error:
        return _Read("", error=error)
    file_hash = hash_of(data)
    if file_hash in known:
        return _Read(file_hash)
    try:
        return _Read(file_hash, formats.extract(data, path.name, limits))
    except UnreadableFile as error:
        return _Read(file_hash, error=error)


def _keep(assistant: Assistant, path: Path, read: _Read) -> Outcome:
    source = storable(str(path.resolve()))
    if isinstance(read.error, NoText):
        return keep_failure(
            assistant, source, name=path.name, file_hash=read.file_hash, reason=str(read.error)
        )
    if read.error is not None:
        return read.error
    # Asked again: the same bytes may have come earlier in this run.
    if document := known_file(assistant, source, read.file_hash):
        return Ingested("unchanged", document)
    return keep_file(assistant, source, read.file_hash, read.found)


@dataclass(frozen=True)
class BatchDone:
    """What became of one batch of lines of a metadata dump."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    unreadable: int = 0


def ingest_metadata(assistant: Assistant, path: Path, *, batch: int = 256) -> Iterator[BatchDone]:
    """Keeps the papers of an arXiv metadata dump (JSON lines, gzip or not), a batch at a time.

    Lines that are no paper are counted, not fatal. Raises UnreadableFile where the file cannot be
    opened or breaks off; what was kept until then stays, and is skipped the next time.
    """
    try:
        with _opened(path) as lines:
            while some := list(islice(_lines(lines), batch)):
                found = [one for line in some if (one := _paper(line)) is not None]
                done = keep_all(assistant, found)
                unique = {one.document.id: one for one in done}.values()
                yield BatchDone(
                    new=sum(one.status == "new" for one in unique),
                    changed=sum(one.status == "changed" for one in unique),
                    unchanged=len(done) - sum(one.status != "unchanged" for one in unique),
                    unreadable=len(some) - len(found),
                )
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFile(
            f"{path.name}: cannot be read ({getattr(error, 'strerror', None) or error})."
        ) from error


def _opened(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines that are not blank; of one that is far too long only its start, which is no JSON."""
    while line := file.readline(_LONGEST_LINE):
        if line.strip():
            yield line


def _paper(line: bytes) -> Found | None:
    """The paper of one line, or None where it is none."""
    try:
        entry = json.loads(line)
        if not isinstance(entry, Mapping):
            return None
        read = references.arxiv_metadata(entry)
    except (ValueError, TypeError, IndexError, RecursionError):
        return None
    return Found(f"arxiv:{read.key}", hash_of(f"{read.text}{read.version}"), read)
