"""SEMANTIC_MEMORY: the knowledge base, passage by passage."""

from django.db import models

from .base import VectorRow
from .document import Document


class SemanticMemory(VectorRow):
    """One passage; `metadata` has source, title, chunk_id, num_chunks, timestamp and, where it comes
    from a document's text, the character offsets start and end (R14)."""

    document = models.ForeignKey(Document, on_delete=models.PROTECT, null=True, related_name="passages")

    class Meta:
        db_table = "semantic_memory"
        constraints = [
            models.UniqueConstraint(fields=["document", "content_hash"], name="passage_once_a_document"),
            models.UniqueConstraint(
                fields=["content_hash"],
                condition=models.Q(document__isnull=True),
                name="loose_passage_once",
            ),
        ]
