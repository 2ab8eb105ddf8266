"""Conversations as files: JSON that comes back without loss, Markdown to be read.

Owns reading a file with a sentence for whatever is wrong with it; the shape is memory's thread_file.py.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from researchassist.errors import UnreadableFile
from researchassist.memory.records import ThreadRecord
from researchassist.memory.thread_file import ThreadFile

from .assistant import Assistant
from .commands.definition import CommandResult
from .manifest import Helpers, Manifest
from .thread_markdown import as_markdown
from .threads import new_thread_id

# A conversation of years is some megabytes.
LARGEST_BYTES = 200_000_000
_USED, _HELPERS, _RESULT = TypeAdapter(Manifest), TypeAdapter(Helpers), TypeAdapter(CommandResult)


@dataclass(frozen=True)
class ImportedThread:
    """What became of a file; `new` is false where the conversation was here already."""

    thread: ThreadRecord
    messages: int
    new: bool


def export_json(assistant: Assistant, thread_id: str) -> str:
    """A thread as JSON that `import_thread` reads; raises UnknownThread."""
    return assistant.memory.export_thread(thread_id).model_dump_json(indent=1) + "\n"


def export_markdown(assistant: Assistant, thread_id: str) -> str:
    """A thread as Markdown, with sources and earlier versions; raises UnknownThread."""
    return as_markdown(assistant.memory.export_thread(thread_id))


def import_thread(assistant: Assistant, path: Path, *, copy: bool = False) -> ImportedThread:
    """Makes a thread of a file that was exported as JSON; `copy` makes another one where it is here already.

    Raises UnreadableFile, and changes nothing, where it is no such file or another thread has its id.
    """
    file = _read(path)
    memory = assistant.memory
    thread_id = new_thread_id() if copy else file.id
    if not memory.has_thread(thread_id):
        return ImportedThread(memory.write_thread_file(file, thread_id), len(file.messages), new=True)
    here = memory.export_thread(thread_id)
    if _said(here)[: len(file.messages)] != _said(file):
        raise UnreadableFile(
            f"{path.name}: another conversation has the id {thread_id}, “{here.title}”. Nothing was changed; "
            "with --copy this one is imported beside it."
        )
    return ImportedThread(memory.thread(thread_id), len(here.messages), new=False)


def _said(file: ThreadFile) -> list[tuple[object, ...]]:
    return [(one.number, one.role, one.content, one.timestamp) for one in file.messages]


def _read(path: Path) -> ThreadFile:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UnreadableFile(f"{path.name} is larger than {LARGEST_BYTES // 1_000_000} MB.")
        file = ThreadFile.model_validate_json(path.read_bytes())
        for turn in file.turns:
            _USED.validate_python(turn.used)
            _HELPERS.validate_python(turn.helpers)
        for run in file.commands:
            _RESULT.validate_python(_without(run.result, "passing"))
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        raise UnreadableFile(
            f"{path.name} is no conversation as export_thread writes it: {_first(error)}."
        ) from error
    return file


def _without(result: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != key}


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, and where."""
    one = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in one["loc"])
    return f"{where}: {one['msg']}" if where else str(one["msg"])
