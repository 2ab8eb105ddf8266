"""TOOLBOX_MEMORY: tools by the meaning of their descriptions and of questions they are for (R4, R5)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction

from researchassist.memory.embedding import Embedder
from researchassist.memory.models import ToolboxKey, ToolboxMemory
from researchassist.memory.records import ToolRecord
from researchassist.memory.text import clauses, storable
from researchassist.memory.vectors import Ids, Scores, Vector

from .vector_store import VectorStore

# Shorter ones ("for example,") say nothing of a tool; a long description is told by its first ones.
_CLAUSE_CHARS = 15
_MOST_CLAUSES = 12


class ToolboxStore:
    """One row a tool name."""

    def __init__(self) -> None:
        self.store = VectorStore(ToolboxMemory)
        self.keys = VectorStore(ToolboxKey)

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
            text=embedded_text(name, description, signature, parameters, queries),
        )
        keys = [ToolboxKey(text=key) for key in keys_of(description, queries)]
        self.store.embed([row], embedder)
        self.keys.embed(keys, embedder)
        with transaction.atomic():
            row.pk = ToolboxMemory.objects.filter(name=name).values_list("pk", flat=True).first()
            self.store.save([row])
            self.keys.delete(ToolboxKey.objects.filter(tool=row).values_list("pk", flat=True))
            for key in keys:
                key.tool = row
            self.keys.save(keys)
        return _record(row)

    def get(self, name: str) -> ToolRecord | None:
        """The tool of this name, if it is registered."""
        row = ToolboxMemory.objects.filter(name=name).first()
        return _record(row) if row else None

    def read(self, vector: Vector | None, k: int, names: Collection[str] | None) -> list[ToolRecord]:
        """The `k` tools that fit the query best, only among `names` where they are given.

        A tool's score is half the cosine of its text and half that of the nearest of its text and its
        keys; of equals the one registered first comes first.
        """
        if vector is None:
            return []
        found = ToolboxMemory.objects.defer("embedding")
        tools = {row.pk: row for row in (found if names is None else found.filter(name__in=list(names)))}
        own = _by_id(self.store.cosines(vector))
        nearest = dict(own)
        key_cosines = _by_id(self.keys.cosines(vector))
        for key, tool in ToolboxKey.objects.values_list("pk", "tool_id"):
            nearest[tool] = max(nearest.get(tool, -1.0), key_cosines.get(key, -1.0))
        scores = {pk: (own[pk] + nearest[pk]) / 2 for pk in tools if pk in own}
        best = sorted(scores, key=lambda pk: (-scores[pk], pk))[:k]
        return [_record(tools[pk], scores[pk]) for pk in best]


def keys_of(description: str, queries: Sequence[str]) -> list[str]:
    """What a tool is found by beside its whole text: each query, and each clause of what it does."""
    said = clauses(description, _CLAUSE_CHARS)[:_MOST_CLAUSES]
    return [key for key in dict.fromkeys([*queries, *said]) if key.strip()]


def embedded_text(
    name: str,
    description: str,
    signature: str,
    parameters: Mapping[str, Any],
    queries: Sequence[str],
) -> str:
    """What is embedded of a tool: R5's name, description, signature and queries, and what its parameters
    mean, where they say so."""
    meanings = [
        f"{parameter}: {described['description']}"
        for parameter, described in parameters.get("properties", {}).items()
        if described.get("description")
    ]
    return storable("\n".join([name, description, signature, *meanings, *queries]))


def _by_id(cosines: tuple[Ids, Scores]) -> dict[int, float]:
    ids, values = cosines
    return dict(zip(ids.tolist(), values.tolist(), strict=True))


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
