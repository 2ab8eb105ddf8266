"""AC1 (R1, D5, D14): what one process stored, a new process on the same file finds."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from .conftest import SEED

_READ = """
import django, json
django.setup()
from researchassist.agent.assistant import configured
memory = configured().memory
print(json.dumps({
    "messages": [m.as_json() for m in memory.read_conversational_memory("seed-01", limit=12).records],
    "top": memory.read_knowledge_base("streaming memory consolidation").records[0].source,
}))
"""


def _process(data: Path, *command: str) -> str:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "researchassist.settings",
        "RESEARCHASSIST_DATA_DIR": str(data),
        "RESEARCHASSIST_EMBEDDING_MODEL": "packaged",
    }
    done = subprocess.run(
        [sys.executable, *command],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_second_process_reads_the_seed_thread_and_finds_the_kestrel_notes(
    tmp_path: Path, seed_messages: list[dict[str, Any]], evidence: Callable[[str], None]
) -> None:
    _process(tmp_path, "manage.py", "migrate", "--verbosity", "0")
    _process(tmp_path, "manage.py", "ingest_fixtures")

    found = json.loads(_process(tmp_path, "-c", _READ))

    assert [m["content"] for m in found["messages"]] == [m["content"] for m in seed_messages]
    times = [m["timestamp"] for m in found["messages"]]
    assert times == sorted(times)
    assert len(set(times)) == 12
    assert all(m["thread_id"] == SEED for m in found["messages"])
    assert found["top"] == "kestrel-notes.md"
    evidence("database file of process 1 read by process 2: 12 messages in order, top hit kestrel-notes.md")
