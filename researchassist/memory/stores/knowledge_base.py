"""SEMANTIC_MEMORY and the documents its passages belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Count, Q

from researchassist.memory import clock
from researchassist.memory.embedding import Embedder
from researchassist.memory.models import Document, SemanticMemory
from researchassist.memory.readings import KNOWLEDGE_BASE, Item, Reading
from researchassist.memory.records import DocumentRecord, PassageRecord
from researchassist.memory.text import content_hash, storable
from researchassist.memory.vectors import Vector

from .vector_store import VectorStore


@dataclass(frozen=True, kw_only=True)
class DocumentDraft:
    """What is to be kept of a document beside its passages. `source` identifies it."""

    source: str
    kind: str
    title: str
    file_hash: str
    authors: tuple[str, ...] = ()
    published: str = ""
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
        self.store = VectorStore(SemanticMemory)

    def write(self, text: str, metadata: Mapping[str, Any], embedder: Embedder) -> PassageRecord:
        """Keeps one passage that belongs to no document; the same text is kept once."""
        text = storable(text)
        loose = SemanticMemory.objects.filter(document__isnull=True)
        known = loose.filter(content_hash=content_hash(text)).first()
        if known is not None:
            return _record(known)
        row = SemanticMemory(text=text, metadata={"timestamp": clock.now().isoformat(), **metadata})
        self.store.embed([row], embedder)
        self.store.save([row])
        return _record(row)

    def write_document(
        self, draft: DocumentDraft, passages: Sequence[PassageDraft], embedder: Embedder
    ) -> DocumentRecord:
        """Keeps a document with its passages in one step; those of an earlier version go with it."""
        time = clock.now()
        rows: dict[str, SemanticMemory] = {}
        for number, passage in enumerate(passages):
            metadata = {
                "source": draft.source,
                "title": draft.title,
                "chunk_id": number,
                "num_chunks": len(passages),
                "start": passage.start,
                "end": passage.end,
                "timestamp": time.isoformat(),
                **passage.metadata,
            }
            # The same passage twice in one document is one row.
            rows.setdefault(content_hash(passage.text), SemanticMemory(text=passage.text, metadata=metadata))
        self.store.embed(list(rows.values()), embedder)
        with transaction.atomic():
            document = Document.objects.filter(source=draft.source).first()
            document = document or Document(source=draft.source, created_at=time)
            document.kind = draft.kind
            document.title = storable(draft.title)[:500]
            document.authors = list(draft.authors)
            document.published = draft.published
            document.file_hash = draft.file_hash
            document.state = "partial" if draft.warning else "ready"
            document.warning = draft.warning
            document.sample = draft.sample
            document.updated_at = time
            document.save()
            self.store.delete(document.passages.values_list("pk", flat=True))
            for row in rows.values():
                row.document = document
            self.store.save(list(rows.values()))
        return self._document(document, len(rows))

    def delete_document(self, document_id: int) -> None:
        """Takes a document and its passages out in one step."""
        with transaction.atomic():
            passages = SemanticMemory.objects.filter(document_id=document_id)
            self.store.delete(passages.values_list("pk", flat=True))
            Document.objects.filter(pk=document_id).delete()

    def documents(self, *, source: str | None = None, sample: bool | None = None) -> list[DocumentRecord]:
        """Documents, newest first; only that source, or only (no) samples, where asked."""
        rows = Document.objects.annotate(count=Count("passages")).order_by("-updated_at", "pk")
        if source is not None:
            rows = rows.filter(source=source)
        if sample is not None:
            rows = rows.filter(sample=sample)
        return [self._document(row, row.count) for row in rows]

    @staticmethod
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
        )

    def read(self, vector: Vector | None, k: int, where: Q | None = None) -> Reading[PassageRecord]:
        """The `k` passages nearest to the query, as the knowledge base segment."""
        hits = [] if vector is None else self.store.search(vector, k, where)
        records = tuple(_record(row, score) for row, score in hits)
        return Reading(
            kind=KNOWLEDGE_BASE,
            records=records,
            items=tuple(_item(number, record) for number, record in enumerate(records, 1)),
            empty="No documents in memory.",
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


def _item(number: int, record: PassageRecord) -> Item:
    attributes = [("passage", str(number)), ("document", record.title), ("from", record.source)]
    if page := record.metadata.get("page"):
        attributes.append(("page", str(page)))
    return Item(record.text, tuple(attributes))
