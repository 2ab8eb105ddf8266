"""Documents into memory: read, cut into passages, keep; the same for every way they come (R14).

Owns the order of the steps and telling what is new from what is unchanged; reading and cutting
are papers', keeping is memory's.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from researchassist.errors import UnreadableFile
from researchassist.memory.records import DocumentRecord
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from researchassist.papers import chunking, text

from .assistant import Assistant

Status = Literal["new", "changed", "unchanged"]


@dataclass(frozen=True)
class Ingested:
    """What became of one document."""

    status: Status
    document: DocumentRecord


def ingest_file(
    assistant: Assistant, path: Path, *, source: str | None = None, sample: bool = False
) -> Ingested:
    """Keeps a Markdown or text file; one whose bytes are known already is left as it is.

    `source` identifies it (its absolute path by default). Raises UnreadableFile.
    """
    source = source or str(path.resolve())
    try:
        file_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be read ({error.strerror}).") from error
    known = assistant.memory.documents(source=source)
    if known and known[0].file_hash == file_hash:
        return Ingested("unchanged", known[0])
    file = text.read(path)
    draft = DocumentDraft(
        source=source,
        kind=file.kind,
        title=file.title,
        file_hash=file_hash,
        warning=file.warning,
        sample=sample,
    )
    return Ingested("changed" if known else "new", _keep(assistant, draft, file.text))


def ingest_text(assistant: Assistant, content: str, *, title: str = "") -> Ingested:
    """Keeps a text the person gave, such as a message too long to be a question.

    Raises UnreadableFile where there is no text in it.
    """
    clean = text.clean(content)
    if not clean.strip():
        raise UnreadableFile("There is no text to store.")
    file_hash = hashlib.sha256(clean.encode()).hexdigest()
    source = f"pasted text {file_hash[:8]}"
    known = assistant.memory.documents(source=source)
    if known:
        return Ingested("unchanged", known[0])
    draft = DocumentDraft(
        source=source, kind="text", title=title or text.title_of(clean) or source, file_hash=file_hash
    )
    return Ingested("new", _keep(assistant, draft, clean))


def _keep(assistant: Assistant, draft: DocumentDraft, content: str) -> DocumentRecord:
    options, embedder = assistant.options, assistant.memory.embedder
    chunks = chunking.split(
        content,
        chars=options.chunk_chars,
        overlap=options.chunk_overlap,
        max_tokens=embedder.max_tokens,
        count_tokens=embedder.count_tokens,
        markdown=draft.kind == "markdown",
    )
    passages = [PassageDraft(text=chunk.text, start=chunk.start, end=chunk.end) for chunk in chunks]
    return assistant.memory.write_document(draft, passages)
