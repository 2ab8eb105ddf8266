"""TOOLBOX_MEMORY: tools by the meaning of their descriptions (R4, R5)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from researchassist.memory.embedding import Embedder
from researchassist.memory.models import ToolboxMemory
from researchassist.memory.records import ToolRecord
from researchassist.memory.text import storable
from researchassist.memory.vectors import Vector

from .vector_store import VectorStore


class ToolboxStore:
    """One row a tool name."""

    def __init__(self) -> None:
        self.store = VectorStore(ToolboxMemory)

    def write(  # noqa: PLR0913  (the fields of one record)
        self,
        *,
        name: str,
        description: str,
        signature: str,
        parameters: Mapping[str, Any],
        queries: Sequence[str],
        augmented: bool,
        source_hash: str,
        embedder: Embedder,
    ) -> ToolRecord:
        """Keeps a tool under its name, in place of an earlier version of it."""
        description, queries = storable(description), [storable(query) for query in queries]
        row = ToolboxMemory(
            name=name,
            description=description,
            signature=signature,
            parameters=dict(parameters),
            queries=queries,
            augmented=augmented,
            source_hash=source_hash,
            text="\n".join([name, description, signature, *queries]),
        )
        self.store.embed([row], embedder)
        with transaction.atomic():
            row.pk = ToolboxMemory.objects.filter(name=name).values_list("pk", flat=True).first()
            self.store.save([row])
        return _record(row)

    def get(self, name: str) -> ToolRecord | None:
        """The tool of this name, if it is registered."""
        row = ToolboxMemory.objects.filter(name=name).first()
        return _record(row) if row else None

    def read(self, vector: Vector | None, k: int, names: Collection[str] | None) -> list[ToolRecord]:
        """The `k` tools nearest to the query, only among `names` where they are given."""
        if vector is None:
            return []
        where = None if names is None else Q(name__in=list(names))
        return [_record(row, score) for row, score in self.store.search(vector, k, where)]


def _record(row: ToolboxMemory, score: float = 0.0) -> ToolRecord:
    return ToolRecord(
        name=row.name,
        description=row.description,
        signature=row.signature,
        parameters=row.parameters,
        queries=tuple(row.queries),
        text=row.text,
        augmented=row.augmented,
        source_hash=row.source_hash,
        score=score,
    )
