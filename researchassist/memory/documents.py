"""The part of MemoryManager that holds documents and their passages: the knowledge base.

Owns which documents there are and searching them; what a document is read from is the agent's.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Q

from researchassist.errors import UnknownDocument
from researchassist.options import Options

from . import clock
from .embedded import EmbeddedMemory
from .embedding import Embedder
from .readings import Reading
from .records import DocumentRecord, PassageRecord
from .stores.knowledge_base import DocumentDraft, KnowledgeBase, PassageDraft, filters

# How long a forgotten document can be restored.
FORGOTTEN_FOR = timedelta(days=30)


class DocumentMemory(EmbeddedMemory):
    """SEMANTIC_MEMORY and the documents its passages belong to."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options, embedder)
        self._knowledge_base = KnowledgeBase()

    def write_knowledge_base(self, text: str, metadata: Mapping[str, Any]) -> PassageRecord:
        """Keeps one passage with its source metadata (R14); the same text is kept once."""
        return self._knowledge_base.write(text, metadata, self.embedder)

    def read_knowledge_base(
        self, query: str, k: int | None = None, where: Q | None = None
    ) -> Reading[PassageRecord]:
        """The passages nearest to the query (R2); by meaning and words together where the option says so."""
        words = query if self.options.knowledge_search == "fused" else ""
        return self._knowledge_base.read(
            self.query_vector(query), k or self.options.knowledge_k, where, words
        )

    def passages(self, ids: Sequence[str], *, near: str) -> tuple[PassageRecord, ...]:
        """Those passages of these ids that are still there, with their cosine to a text, nearest first."""
        where = Q(pk__in=[int(one) for one in ids])
        return self._knowledge_base.read(self.query_vector(near), len(ids), where).records

    def search_documents(
        self,
        query: str,
        k: int,
        *,
        document: str = "",
        author: str = "",
        kind: str = "",
        years: tuple[int, int] = (0, 0),
    ) -> Reading[PassageRecord]:
        """The passages that fit the query best, by meaning, words and their best sentences, in documents
        that pass the filters; 0 and "" pass all. Takes some tenths of a second: for a tool, not a preload."""
        where = filters(document=document, author=author, kind=kind, years=years)
        vector = self.query_vector(query)
        if vector is None:
            return self._knowledge_base.read(None, k)
        return self._knowledge_base.search(vector, query, k, where, self.embedder)

    def write_document(self, draft: DocumentDraft, passages: Sequence[PassageDraft]) -> DocumentRecord:
        """Keeps a document with its passages in one step, in place of an earlier version of it."""
        return self.write_documents([(draft, passages)])[0]

    def write_documents(
        self, drafts: Sequence[tuple[DocumentDraft, Sequence[PassageDraft]]]
    ) -> list[DocumentRecord]:
        """Keeps several documents in one step, embedded together; no source may stand twice."""
        return self._knowledge_base.write_documents(drafts, self.embedder)

    def documents(
        self,
        *,
        source: str | None = None,
        sources: Collection[str] | None = None,
        file_hash: str | None = None,
        sample: bool | None = None,
    ) -> list[DocumentRecord]:
        """Documents in memory, newest first; forgotten ones are not among them."""
        where = Q()
        if source is not None:
            where &= Q(source=source)
        if sources is not None:
            where &= Q(source__in=list(sources))
        if file_hash is not None:
            where &= Q(file_hash=file_hash)
        if sample is not None:
            where &= Q(sample=sample)
        return self._knowledge_base.documents(where)

    def document_titles(self, limit: int) -> list[str]:
        """Titles of at most `limit` documents that have text: own ones before samples, newest first."""
        return self._knowledge_base.titles(limit)

    def document(self, document_id: int) -> DocumentRecord:
        """One document; raises UnknownDocument where there is none or it is forgotten."""
        for found in self._knowledge_base.documents(Q(pk=document_id)):
            return found
        raise UnknownDocument(f"There is no document {document_id}.")

    def delete_document(self, document_id: int) -> None:
        """Takes a document and its passages out in one step, for good."""
        self._knowledge_base.delete_document(document_id)

    def forget_document(self, document_id: int) -> DocumentRecord:
        """Takes a document and its passages out in one step; raises UnknownDocument.

        It can be restored until another is forgotten, or for 30 days.
        """
        self._knowledge_base.drop_forgotten(clock.now() - FORGOTTEN_FOR)
        return self._knowledge_base.forget_document(document_id)

    def restore_document(self, document_id: int) -> DocumentRecord:
        """Puts a forgotten document back as it was; raises UnknownDocument."""
        self._knowledge_base.drop_forgotten(clock.now() - FORGOTTEN_FOR)
        return self._knowledge_base.restore_document(document_id, self.embedder)
