"""Keeping what was read: cut into passages, written as documents; the same for every way it came (R14).

Owns what replaces what: a document is one source, the same bytes are never a second document, and a
reference or abstract never takes the place of a whole paper.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from researchassist.memory.records import DocumentRecord
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from researchassist.memory.text import storable
from researchassist.papers import chunking
from researchassist.papers.extracted import Extracted

if TYPE_CHECKING:
    from .assistant import Assistant


Status = Literal["new", "changed", "unchanged", "failed"]

ABSTRACT = "arxiv abstract"
# Kinds that tell of a work without being it.
_POINTERS = (ABSTRACT, "bibtex", "ris", "doi")


@dataclass(frozen=True)
class Ingested:
    """What became of one document.

    "failed": it was read and there is no text in it; `document.warning` says why. `entries` are
    the documents of a file that lists many (BibTeX, RIS); `document` is then the first. `note` is
    about this time only.
    """

    status: Status
    document: DocumentRecord
    entries: tuple["Ingested", ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Found:
    """One document to keep: where it comes from, a hash of its content, and what was read.

    `metadata` stands on each of its passages beside what every passage has.
    """

    source: str
    file_hash: str
    read: Extracted
    sample: bool = False
    metadata: Mapping[str, object] = field(default_factory=dict)


def keep(assistant: "Assistant", found: Found) -> Ingested:
    """Keeps one document."""
    return keep_all(assistant, [found])[0]


def keep_all(assistant: "Assistant", found: Sequence[Found]) -> list[Ingested]:
    """Keeps documents, embedded together and written in one step, in the order of `found`."""
    first: dict[str, Found] = {}
    for one in found:
        first.setdefault(one.source, one)
    known = {one.source: one for one in assistant.memory.documents(sources=first.keys())}
    wanted = [one for one in first.values() if _is_news(one, known.get(one.source))]
    drafts = [(_draft(one), passages(assistant, one.read, one.metadata)) for one in wanted]
    records = {one.source: one for one in assistant.memory.write_documents(drafts)} if drafts else {}
    done = []
    for one in found:
        before, after = known.get(one.source), records.get(one.source)
        if after is None:
            assert before is not None
            done.append(Ingested("unchanged", before))
        else:
            done.append(Ingested("changed" if before else "new", after, note=_note(before, after)))
    return done


def keep_file(
    assistant: "Assistant",
    source: str,
    file_hash: str,
    found: Sequence[Extracted],
    *,
    sample: bool = False,
) -> Ingested:
    """Keeps what was read from one file: a document, or each entry of a reference list."""
    if not found[0].key:
        return keep(assistant, Found(source, file_hash, found[0], sample))
    entries = keep_all(assistant, [_entry(source, one) for one in found])
    news = [one for one in entries if one.status != "unchanged"]
    return Ingested(news[0].status if news else "unchanged", entries[0].document, entries=tuple(entries))


def keep_failure(assistant: "Assistant", source: str, *, name: str, file_hash: str, reason: str) -> Ingested:
    """Keeps that a file holds no text, without passages; what was kept of it before stays."""
    for known in assistant.memory.documents(source=source):
        if known.state != "failed":
            return Ingested("failed", known, note=f"{reason} What was kept of it before stays.")
    draft = DocumentDraft(source=source, kind="unreadable", title=name, file_hash=file_hash, warning=reason)
    return Ingested("failed", assistant.memory.write_document(draft, []), note=reason)


def passages(
    assistant: "Assistant", read: Extracted, metadata: Mapping[str, object] | None = None
) -> list[PassageDraft]:
    """The passages of a text, each with its page where it has pages."""
    options, embedder = assistant.options, assistant.memory.embedder
    chunks = chunking.split(
        read.text,
        chars=options.chunk_chars,
        overlap=options.chunk_overlap,
        max_tokens=embedder.max_tokens,
        count_tokens=embedder.count_tokens,
        markdown=read.kind in ("markdown", "html"),
        pages=read.pages,
    )
    return [
        PassageDraft(
            text=chunk.text,
            start=chunk.start,
            end=chunk.end,
            metadata={**(metadata or {}), **_place(read, chunk.start)},
        )
        for chunk in chunks
    ]


def hash_of(data: bytes | str) -> str:
    """What tells one content from another."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def _entry(source: str, read: Extracted) -> Found:
    """An entry of a reference list: the work it is of, where that has an id."""
    return Found(storable(_work(read.identifiers) or f"{source}#{read.key}"), hash_of(read.text), read)


def _work(identifiers: Mapping[str, str]) -> str:
    if "arxiv" in identifiers:
        return f"arxiv:{identifiers['arxiv']}"
    return f"doi:{identifiers['doi']}" if "doi" in identifiers else ""


def _place(read: Extracted, start: int) -> dict[str, int | str]:
    page = read.page_of(start)
    return {} if page is None else {"page": page}


def _is_news(found: Found, known: DocumentRecord | None) -> bool:
    """Whether `found` is to be written: not where it is known, or less than what is known."""
    if known is None or known.state == "failed":
        return True
    if found.read.kind in _POINTERS and known.kind not in _POINTERS:
        return False
    return known.file_hash != found.file_hash


def _draft(found: Found) -> DocumentDraft:
    read = found.read
    return DocumentDraft(
        source=found.source,
        kind=read.kind,
        title=read.title,
        file_hash=found.file_hash,
        authors=read.authors,
        published=read.published,
        url=read.url,
        version=read.version,
        pages=len(read.pages),
        identifiers=read.identifiers,
        warning=read.warning,
        sample=found.sample,
    )


def _note(before: DocumentRecord | None, after: DocumentRecord) -> str:
    """What the person should know of a replacement."""
    if before is None or not before.version or before.version == after.version:
        return ""
    return f"{after.version} takes the place of {before.version}."
