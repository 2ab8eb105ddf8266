"""Documents into memory, whichever way they come: files, uploads, pasted text, ids and links.

Owns the one entry for each, and forgetting and restoring; what comes from elsewhere is fetched by
acquire.py, reading is papers', keeping is keep.py's.
"""

import re
from pathlib import Path

from researchassist.errors import NoText, UnreadableFile
from researchassist.memory.records import DocumentRecord
from researchassist.memory.text import storable
from researchassist.memory.thread_file import FORMAT as THREAD_FORMAT
from researchassist.papers import formats, text
from researchassist.papers.extracted import Extracted
from researchassist.papers.pdf import Progress

from .acquire import save_reference
from .assistant import Assistant
from .keep import Found, Ingested, hash_of, keep, keep_failure, keep_file
from .personal_file import FORMAT as PERSONAL_FORMAT

_UPLOAD = "upload:"
STORING = "Storing its passages"
_FORMAT = re.compile(rb'\s*\{\s*"format":\s*"([^"]*)"')
# What was exported here is no document, however well it could be read as one.
_EXPORTS = {
    THREAD_FORMAT: ("a conversation", "import_thread"),
    PERSONAL_FORMAT: ("personal memory", "import_memory"),
}


def ingest_file(
    assistant: Assistant,
    path: Path,
    *,
    source: str | None = None,
    sample: bool = False,
    progress: Progress | None = None,
) -> Ingested:
    """Keeps a file of any format that can be read; one whose bytes are known is left as it is.

    `source` identifies it (its absolute path by default). Raises UnreadableFile where it is refused.
    """
    source = storable(source or str(path.resolve()))
    data = formats.read_bytes(path, assistant.limits)
    file_hash = hash_of(data)
    if known := known_file(assistant, source, file_hash):
        return Ingested("unchanged", known)
    _refuse_export(path.name, data)
    try:
        found = formats.extract(data, path.name, assistant.limits, progress)
    except NoText as error:
        return keep_failure(assistant, source, name=path.name, file_hash=file_hash, reason=str(error))
    _say(progress, STORING)
    return keep_file(assistant, source, file_hash, found, sample=sample)


def ingest_bytes(
    assistant: Assistant, name: str, data: bytes, *, progress: Progress | None = None
) -> Ingested:
    """Keeps an uploaded file. Raises UnreadableFile where it is refused.

    Uploads of one name and title are versions of one document; another title under the same name
    is another document.
    """
    name = storable(name.replace("\\", "/").rsplit("/", 1)[-1].strip() or "upload")
    file_hash = hash_of(data)
    if known := known_file(assistant, _UPLOAD + name, file_hash):
        return Ingested("unchanged", known)
    _refuse_export(name, data)
    try:
        found = formats.extract(data, name, assistant.limits, progress)
    except NoText as error:
        return keep_failure(assistant, _UPLOAD + name, name=name, file_hash=file_hash, reason=str(error))
    source = _UPLOAD + name
    same_name = assistant.memory.documents(source=source)
    if same_name and same_name[0].state != "failed" and same_name[0].title != storable(found[0].title)[:500]:
        source = f"{source} ({file_hash[:8]})"
    _say(progress, STORING)
    return keep_file(assistant, source, file_hash, found)


def _refuse_export(name: str, data: bytes) -> None:
    begins = _FORMAT.match(data)
    if begins is None or (found := _EXPORTS.get(begins.group(1).decode(errors="replace"))) is None:
        return
    what, command = found
    raise UnreadableFile(
        f"{name} is {what} that was exported here, not a document. "
        f"Take it in with python manage.py {command} and the path of the file."
    )


def _say(progress: Progress | None, words: str) -> None:
    if progress is not None:
        progress(words)


def ingest_text(assistant: Assistant, content: str, *, title: str = "") -> Ingested:
    """Keeps a text the person gave, such as a message too long to be a question.

    Raises UnreadableFile where there is no text in it.
    """
    clean = text.clean(content)
    if not clean.strip():
        raise UnreadableFile("There is no text to store.")
    file_hash = hash_of(clean)
    source = f"pasted text {file_hash[:8]}"
    read = Extracted(text=clean, title=title or text.title_of(clean) or source, kind="text")
    return keep(assistant, Found(source, file_hash, read))


def ingest_reference(assistant: Assistant, reference: str, *, progress: Progress | None = None) -> Ingested:
    """Keeps what an arXiv id, a DOI or a link that the person gave refers to.

    Raises NotAReference where it is none (nothing is asked of anyone then), WebError, PaperNotFound
    or UnreadableFile where it cannot be had.
    """
    return save_reference(assistant, reference, progress=progress)


def reingest(assistant: Assistant, document_id: int, *, progress: Progress | None = None) -> Ingested:
    """Reads a document's source again and keeps what it says now.

    Raises UnknownDocument, and UnreadableFile where the source is no longer at hand.
    """
    document = assistant.memory.document(document_id)
    source = document.source
    if source.startswith("arxiv:"):
        return save_reference(assistant, source.removeprefix("arxiv:"), progress=progress)
    if source.startswith(("http://", "https://", "doi:")):
        return save_reference(assistant, source, progress=progress)
    path = Path(source.partition("#")[0])
    if not path.is_absolute() or not path.is_file():
        raise UnreadableFile(
            f"“{document.title}” cannot be read again: its file is not at hand. Add the file once more."
        )
    return ingest_file(assistant, path, progress=progress)


def forget_document(assistant: Assistant, document_id: int) -> DocumentRecord:
    """Takes a document out of memory at once; `restore_document` brings it back.

    Only the person forgets: no tool does. Raises UnknownDocument.
    """
    return assistant.memory.forget_document(document_id)


def restore_document(assistant: Assistant, document_id: int) -> DocumentRecord:
    """Brings a forgotten document back. Raises UnknownDocument where it is gone for good."""
    return assistant.memory.restore_document(document_id)


def known_file(assistant: Assistant, source: str, file_hash: str) -> DocumentRecord | None:
    """The document these bytes are already, under this source or another."""
    same = [one for one in assistant.memory.documents(file_hash=file_hash) if one.state != "failed"]
    return next((one for one in same if one.source == source), None) or next(iter(same), None)
