"""All personal memory as one JSON file: written, read again, and erased at the person's word.

What the rows are is memory's; what a file must look like is said here.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from researchassist.errors import UnreadableFile
from researchassist.memory.fact_records import FactDecision, FactDraft
from researchassist.memory.manager import MemoryManager

FORMAT = "researchassist personal memory"
VERSION = 1
_TABLES = ("facts", "fact_changes", "lessons", "core_memory", "profile")


@dataclass(frozen=True)
class Imported:
    """What became of a file: all of it put into an empty memory, or its facts added to one that is not."""

    restored: bool
    added: int = 0
    known: int = 0
    refused: tuple[str, ...] = ()


def written(memory: MemoryManager) -> str:
    """All personal memory as JSON: facts of every state, their history, lessons, core memory, profile."""
    content = {"format": FORMAT, "version": VERSION, "user": memory.options.user, **memory.personal_rows()}
    return json.dumps(content, ensure_ascii=False, indent=1, default=datetime.isoformat) + "\n"


def read(memory: MemoryManager, text: str) -> Imported:
    """Puts a file's content into memory; raises UnreadableFile, changing nothing, where it is none.

    An empty memory is restored as it was, history and all. To one that is not, the facts that hold are
    added as if they were told again: what is known stays, what was forgotten here does not come back, and
    core memory and profile are left alone.
    """
    rows = _rows(text)
    try:
        if not memory.has_personal_memory():
            memory.restore_personal_rows(rows)
            return Imported(True, added=len(rows["facts"]))
        decisions = [FactDecision(_draft(row)) for row in rows["facts"] if row["state"] == "active"]
        outcomes = memory.write_facts(decisions, by="import")
    except (ValueError, TypeError, KeyError, DatabaseError) as error:
        raise UnreadableFile(f"The file's rows cannot be used: {error}.") from error
    return Imported(
        False,
        added=sum(one.status == "added" for one in outcomes),
        known=sum(one.status == "known" for one in outcomes),
        refused=tuple(f"{one.draft.text}: {one.reason}" for one in outcomes if one.status == "refused"),
    )


def _rows(text: str) -> dict[str, list[dict[str, Any]]]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise UnreadableFile(f"This is not JSON: {error}.") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UnreadableFile("This is not a file of personal memory.")
    if content.get("version") != VERSION:
        raise UnreadableFile(f"This file is of version {content.get('version')}; {VERSION} is understood.")
    rows = {name: content.get(name) for name in _TABLES}
    if not all(
        isinstance(table, list) and all(isinstance(row, dict) for row in table) for table in rows.values()
    ):
        raise UnreadableFile("A part of the file is missing.")
    return rows  # type: ignore[return-value]


def _draft(row: dict[str, Any]) -> FactDraft:
    return FactDraft(
        text=str(row["text"]),
        kind=str(row["kind"]),
        importance=int(row["importance"]),
        subject=str(row["subject"]),
        attribute=str(row["attribute"]),
        quote=str(row["quote"]),
    )
