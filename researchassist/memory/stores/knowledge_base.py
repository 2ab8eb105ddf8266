"""SEMANTIC_MEMORY and the documents its passages belong to."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q

from researchassist.errors import UnknownDocument
from researchassist.memory import clock
from researchassist.memory.embedding import Embedder
from researchassist.memory.models import Document, SemanticMemory
from researchassist.memory.readings import KNOWLEDGE_BASE, Item, Reading, mark_of
from researchassist.memory.records import DocumentRecord, PassageRecord
from researchassist.memory.rerank import LOOKED_INTO, reranked
from researchassist.memory.text import content_hash, storable
from researchassist.memory.vectors import Vector
from researchassist.memory.word_index import PASSAGE_WORDS

from .vector_store import VectorStore, not_moved

# How many documents of one title are looked past for another title.
_ALIKE = 5


@dataclass(frozen=True, kw_only=True)
class DocumentDraft:
    """What is to be kept of a document beside its passages. `source` identifies it."""

    source: str
    kind: str
    title: str
    file_hash: str
    authors: tuple[str, ...] = ()
    published: str = ""
    url: str = ""
    version: str = ""
    pages: int = 0
    identifiers: Mapping[str, str] = field(default_factory=dict)
    warning: str = ""
    sample: bool = False


@dataclass(frozen=True, kw_only=True)
class PassageDraft:
    """One passage of a document's text, `start` and `end` its character offsets there."""

    text: str
    start: int
    end: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


class KnowledgeBase:
    """Passages by meaning; each with where it comes from."""

    def __init__(self) -> None:
        self.store = VectorStore(SemanticMemory, PASSAGE_WORDS)

    def write(self, text: str, metadata: Mapping[str, Any], embedder: Embedder) -> PassageRecord:
        """Keeps one passage that belongs to no document; the same text is kept once."""
        text = storable(text)
        same = SemanticMemory.objects.filter(document__isnull=True, content_hash=content_hash(text))
        if (known := same.first()) is not None:
            return _record(known)
        row = SemanticMemory(text=text, metadata={"timestamp": clock.now().isoformat(), **metadata})
        self.store.embed([row], embedder)
        with transaction.atomic():
            # Another writer may have kept it while this one was embedding.
            if (known := same.first()) is None:
                self.store.save([row])
        return _record(known or row)

    def write_documents(
        self, drafts: Sequence[tuple[DocumentDraft, Sequence[PassageDraft]]], embedder: Embedder
    ) -> list[DocumentRecord]:
        """Keeps documents with their passages in one step; those of an earlier version go with it."""
        time = clock.now()
        rows = [_rows(draft, passages, time.isoformat()) for draft, passages in drafts]
        every = [row for some in rows for row in some]
        self.store.embed(every, embedder)
        with transaction.atomic():
            sources = [storable(draft.source) for draft, _ in drafts]
            known = {row.source: row for row in Document.objects.filter(source__in=sources)}
            replaced = SemanticMemory.objects.filter(document__in=[row.pk for row in known.values()])
            self.store.delete(replaced.values_list("pk", flat=True))
            documents = []
            for (draft, _), source, some in zip(drafts, sources, rows, strict=True):
                document = known.setdefault(source, Document(source=source, created_at=time))
                _fill(document, draft, bool(some), time)
                document.save()
                documents.append(document)
                for row in some:
                    row.document = document
            self.store.save(every)
        return [_document(row, len(some)) for row, some in zip(documents, rows, strict=True)]

    def delete_document(self, document_id: int) -> None:
        """Takes a document and its passages out in one step."""
        with transaction.atomic():
            passages = SemanticMemory.objects.filter(document_id=document_id)
            self.store.delete(passages.values_list("pk", flat=True))
            Document.objects.filter(pk=document_id).delete()

    def forget_document(self, document_id: int) -> DocumentRecord:
        """Takes a document's passages and vectors out; it can be restored until the next is forgotten.

        What was forgotten before goes for good. Raises UnknownDocument.
        """
        with transaction.atomic():
            document = self._row(document_id, forgotten=False)
            for other in Document.objects.filter(forgotten_at__isnull=False).values_list("pk", flat=True):
                self.delete_document(other)
            passages = list(document.passages.order_by("pk"))
            document.forgotten = packed(passages)
            document.forgotten_at = clock.now()
            document.save()
            self.store.delete([row.pk for row in passages])
        return _document(document, len(passages))

    def restore_document(self, document_id: int, embedder: Embedder) -> DocumentRecord:
        """Puts a forgotten document back as it was; embedded again only where the database was moved to
        another model meanwhile. Raises UnknownDocument."""
        rows = unpacked(bytes(self._row(document_id, forgotten=True).forgotten or b""))
        self.store.embed([row for row in rows if row.embedding_model != embedder.name], embedder)
        with transaction.atomic():
            document = self._row(document_id, forgotten=True)
            for row in rows:
                row.document = document
            document.forgotten = document.forgotten_at = None
            document.save()
            self.store.save(rows)
        return _document(document, len(rows))

    def drop_forgotten(self, before: datetime) -> None:
        """Deletes for good what was forgotten before that time."""
        for pk in Document.objects.filter(forgotten_at__lt=before).values_list("pk", flat=True):
            self.delete_document(pk)

    @staticmethod
    def _row(document_id: int, *, forgotten: bool) -> Document:
        found = Document.objects.filter(pk=document_id, forgotten_at__isnull=not forgotten).first()
        if found is None:
            raise UnknownDocument(f"There is no document {document_id}.")
        return found

    def documents(self, where: Q) -> list[DocumentRecord]:
        """Documents that are not forgotten, newest first."""
        rows = (
            Document.objects.filter(where, forgotten_at__isnull=True)
            .defer("forgotten")
            .annotate(count=Count("passages"))
            .order_by("-updated_at", "pk")
        )
        return [_document(row, row.count) for row in rows]

    def titles(self, limit: int) -> list[str]:
        """Titles of the documents that can be asked about, each once: samples last, else the newest first."""
        rows = Document.objects.filter(forgotten_at__isnull=True).exclude(state="failed")
        newest = rows.order_by("sample", "-updated_at", "pk").values_list("title", flat=True)
        return list(dict.fromkeys(newest[: limit * _ALIKE]))[:limit]

    def read(
        self, vector: Vector | None, k: int, where: Q | None = None, words: str = ""
    ) -> Reading[PassageRecord]:
        """The `k` passages nearest to the query, as the knowledge base segment; with `words` by meaning
        and words together."""
        if vector is None:
            return self._reading([])
        if not words:
            return self._reading(self.store.search(vector, k, where))
        hits = self.store.fused_search(vector, words, k, where)
        return self._reading([(row, hit.cosine) for row, hit in hits])

    def search(
        self, vector: Vector, words: str, k: int, where: Q | None, embedder: Embedder
    ) -> Reading[PassageRecord]:
        """The `k` passages that fit best by meaning and words, the best few looked into (rerank.py)."""
        hits = self.store.fused_search(vector, words, max(k, LOOKED_INTO), where)
        first = hits[:LOOKED_INTO]
        order = reranked([row.text for row, _ in first], [hit.fused for _, hit in first], vector, embedder)
        best = [*(first[place] for place in order), *hits[LOOKED_INTO:]][:k]
        return self._reading([(row, hit.cosine) for row, hit in best])

    def _reading(self, hits: Sequence[tuple[SemanticMemory, float]]) -> Reading[PassageRecord]:
        records = tuple(_record(row, score) for row, score in hits)
        return Reading(
            kind=KNOWLEDGE_BASE,
            records=records,
            items=tuple(_item(record) for record in records),
            empty="No documents in memory.",
            notes=_notes(not_moved(self.store)),
        )


def _notes(waiting: int) -> tuple[str, ...]:
    """What is said while passages wait to be moved to another embedding model."""
    told = f"[{waiting:,} passages wait to be moved to another embedding model: not found by meaning yet.]"
    return (told,) if waiting else ()


def filters(*, document: str, author: str, kind: str, years: tuple[int, int]) -> Q | None:
    """The condition on passages that keeps those of such documents; None where it keeps all."""
    where = Q()
    if document:
        named = Q(document__title__icontains=document) | Q(document__source__icontains=document)
        where &= named | Q(document__pk=int(document) if document.isascii() and document.isdigit() else 0)
    if author:
        where &= Q(document__authors__icontains=json.dumps(author)[1:-1])
    if kind:
        where &= Q(document__kind__iexact=kind)
    if years[0]:
        where &= Q(document__published__gte=f"{years[0]:04d}")
    if years[1]:
        where &= Q(document__published__lt=f"{years[1] + 1:04d}") & ~Q(document__published="")
    return where or None


def _rows(draft: DocumentDraft, passages: Sequence[PassageDraft], time: str) -> list[SemanticMemory]:
    """The rows of a document's passages; the same passage twice in one document is one row."""
    rows: dict[str, SemanticMemory] = {}
    for number, passage in enumerate(passages):
        metadata = {
            "source": storable(draft.source),
            "title": storable(draft.title),
            "chunk_id": number,
            "num_chunks": len(passages),
            "start": passage.start,
            "end": passage.end,
            "timestamp": time,
            **passage.metadata,
        }
        rows.setdefault(content_hash(passage.text), SemanticMemory(text=passage.text, metadata=metadata))
    return list(rows.values())


def _fill(document: Document, draft: DocumentDraft, has_passages: bool, time: datetime) -> None:
    """Gives the row what the draft says; it is no longer forgotten."""
    document.kind = draft.kind
    document.title = storable(draft.title)[:500]
    document.authors = [storable(name) for name in draft.authors]
    document.published = draft.published[:32]
    document.url = storable(draft.url)[:2000]
    document.version = draft.version[:32]
    document.pages = draft.pages
    document.identifiers = dict(draft.identifiers)
    document.file_hash = draft.file_hash
    document.state = ("partial" if draft.warning else "ready") if has_passages else "failed"
    document.warning = storable(draft.warning)
    document.sample = draft.sample
    document.updated_at = time
    document.forgotten = document.forgotten_at = None


def packed(rows: Sequence[SemanticMemory]) -> bytes:
    """Rows as bytes that `unpacked` makes the same rows of, without ids."""
    plain = [
        {
            "text": row.text,
            "metadata": row.metadata,
            "embedding": base64.b64encode(bytes(row.embedding)).decode(),
            "embedding_model": row.embedding_model,
            "content_hash": row.content_hash,
        }
        for row in rows
    ]
    return gzip.compress(json.dumps(plain).encode(), compresslevel=1)


def unpacked(data: bytes) -> list[SemanticMemory]:
    """The rows that were packed, not yet saved."""
    plain = json.loads(gzip.decompress(data)) if data else []
    return [
        SemanticMemory(**fields | {"embedding": base64.b64decode(fields["embedding"])}) for fields in plain
    ]


def _document(row: Document, passages: int) -> DocumentRecord:
    return DocumentRecord(
        id=row.pk,
        source=row.source,
        kind=row.kind,
        title=row.title,
        authors=tuple(row.authors),
        published=row.published,
        file_hash=row.file_hash,
        state=row.state,
        warning=row.warning,
        sample=row.sample,
        passages=passages,
        pages=row.pages,
        url=row.url,
        version=row.version,
        identifiers=row.identifiers,
        updated_at=row.updated_at,
        forgotten_at=row.forgotten_at,
    )


def _record(row: SemanticMemory, score: float = 0.0) -> PassageRecord:
    source = str(row.metadata.get("source", ""))
    return PassageRecord(
        id=str(row.pk),
        text=row.text,
        title=str(row.metadata.get("title") or source or "untitled"),
        source=source,
        metadata=row.metadata,
        document_id=row.document_id,
        score=score,
    )


def _item(record: PassageRecord) -> Item:
    attributes = [("mark", mark_of(record.id)), ("document", record.title), ("from", record.source)]
    if page := record.metadata.get("page"):
        attributes.append(("page", str(page)))
    return Item(record.text, tuple(attributes))
