"""A real second process with the project set up in it, on a database file of our choice."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

_SETUP = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "researchassist.settings"
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
import django
django.setup()
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder
memory = MemoryManager(Options(), TinyEmbedder())
"""


def environment(**variables: str) -> dict[str, str]:
    """This environment without the project's and the models' variables, and with these."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("RESEARCHASSIST_", "OPENAI_"))}
    return {**kept, "RESEARCHASSIST_DATA_DIR": str(settings.DATA_DIR), **variables}


def started(script: str, database: Path | str, stdin: int | None = None) -> subprocess.Popen[str]:
    """A process that runs `script` with `memory`, a MemoryManager on that database file."""
    return subprocess.Popen(
        [sys.executable, "-c", _SETUP + script, str(database)],
        cwd=settings.BASE_DIR,
        env=environment(),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(script: str, database: Path | str) -> str:
    """What `script` prints; fails the test where the process fails."""
    process = started(script, database)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


def manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """One manage.py command in a process of its own."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment(**variables),
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=120,
        check=False,
    )
