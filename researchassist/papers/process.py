"""Running child.py within limits of time, memory, pages and characters.

Owns starting and ending it; it is told nothing but the bytes, and has no secret in its environment.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent.parent
# What a child needs of the environment: never a key.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")


@dataclass(frozen=True)
class Limits:
    """What reading one file may take."""

    megabytes: int = 100
    seconds: int = 180
    memory_mb: int = 1500
    pages: int = 3000
    characters: int = 10_000_000


def lines_of(kind: str, data: bytes, limits: Limits) -> Iterator[dict[str, Any]]:
    """What the child writes, line by line. The last line has `ended`: "", "time" or "memory".

    The child ends with this generator, whatever ends that.
    """
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        command = [sys.executable, "-m", "researchassist.papers.child", kind]
        numbers = (limits.memory_mb, limits.seconds, limits.pages, limits.characters)
        child = subprocess.Popen(  # noqa: S603  (our own module, numbers as arguments)
            [*command, *map(str, numbers)],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env={name: os.environ[name] for name in _KEPT if name in os.environ} | _THREADS,
        )
    late = threading.Event()

    def end() -> None:
        late.set()
        child.kill()

    timer = threading.Timer(limits.seconds, end)
    timer.daemon = True
    timer.start()
    complete = False
    try:
        assert child.stdout is not None
        for line in child.stdout:
            try:
                fields = json.loads(line)
            except ValueError:
                # A line that was cut when the child was ended.
                break
            complete = complete or "stopped" in fields or "refused" in fields or "text" in fields
            yield fields
        child.wait()
        yield {"ended": "" if complete else _reason(child.returncode, late.is_set())}
    finally:
        timer.cancel()
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


# One thread each: several children share the processors with the server.
_THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
_CPU_SIGNAL = -24


def _reason(code: int, late: bool) -> str:
    """Why a child ended before it was done."""
    return "time" if late or code == _CPU_SIGNAL else "memory"
