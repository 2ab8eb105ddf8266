"""The invented papers and the seed conversation that a new memory starts with (000 section 5).

Owns putting them in and taking them out; they are marked as samples wherever they show.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from researchassist.errors import UnreadableFile

from .assistant import Assistant
from .ingest import ingest_file

_STATE = "samples_ingested"


@dataclass(frozen=True)
class SampleStep:
    """What became of one sample: a sentence for the terminal."""

    name: str
    outcome: str


def were_ingested(assistant: Assistant) -> bool:
    """Whether the samples were ever put into this database, also if they were taken out since."""
    return assistant.memory.state(_STATE) is not None


def ingest_samples(assistant: Assistant, folder: Path) -> Iterator[SampleStep]:
    """Puts the samples of a fixtures folder in; what is there already stays as it is.

    Raises UnreadableFile where the folder does not hold them.
    """
    for path in sorted((folder / "kb").glob("*.md")):
        done = ingest_file(assistant, path, source=path.name, sample=True)
        yield SampleStep(path.name, f"{done.status}, {done.document.passages} passages")
    path = folder / "conversation" / "seed-thread.json"
    try:
        seed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"The sample conversation {path} cannot be read: {error}.") from error
    yield SampleStep(seed["thread_id"], _keep_thread(assistant, seed))
    assistant.memory.set_state(_STATE, "yes")


def _keep_thread(assistant: Assistant, seed: dict[str, Any]) -> str:
    memory = assistant.memory
    if any(thread.id == seed["thread_id"] for thread in memory.threads()):
        return "unchanged"
    if memory.forgotten_thread(seed["thread_id"]) is not None:
        return "left out: it was deleted"
    messages = [(m["role"], m["content"], datetime.fromisoformat(m["timestamp"])) for m in seed["messages"]]
    memory.import_thread(seed["thread_id"], title=seed["title"], messages=messages, sample=True)
    return f"new, {len(messages)} messages"


def remove_samples(assistant: Assistant) -> Iterator[SampleStep]:
    """Takes the sample documents and conversations out; all else stays."""
    for document in assistant.memory.documents(sample=True):
        assistant.memory.delete_document(document.id)
        yield SampleStep(document.source, "removed")
    for thread in assistant.memory.threads():
        if thread.sample:
            assistant.memory.delete_thread(thread.id)
            yield SampleStep(thread.id, "removed")
