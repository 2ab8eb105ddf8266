"""ENTITY_MEMORY: people, places and systems, merged by name and type."""

from django.db import transaction

from researchassist.memory.embedding import Embedder
from researchassist.memory.models import EntityMemory
from researchassist.memory.readings import ENTITY, Item, Reading
from researchassist.memory.records import EntityRecord
from researchassist.memory.text import name_key, storable
from researchassist.memory.vectors import Vector

from .vector_store import VectorStore

UNKNOWN = "UNKNOWN"
TYPES = ("PERSON", "PLACE", "SYSTEM", UNKNOWN)
_NAME_CHARS = 200
_DESCRIPTION_CHARS = 500


class EntityStore:
    """One row an entity, however often and however spelled it is mentioned."""

    def __init__(self) -> None:
        self.store = VectorStore(EntityMemory)

    def write(self, *, name: str, entity_type: str, description: str, embedder: Embedder) -> EntityRecord:
        """Keeps an entity, or merges the mention into the one there is.

        The first spelling stays; the longer description wins; a class replaces UNKNOWN.
        """
        name = " ".join(storable(name).split())[:_NAME_CHARS].strip()
        description = " ".join(storable(description).split())[:_DESCRIPTION_CHARS]
        kind = entity_type.strip().upper()
        kind = kind if kind in TYPES else UNKNOWN
        # Read, embed, write: the embedding stays outside the transaction, and a row that was
        # written meanwhile is seen by the second look.
        row = self._merged(name, kind, description)
        self.store.embed([row], embedder)
        with transaction.atomic():
            again = self._merged(name, kind, description)
            if again.pk != row.pk or again.mentions != row.mentions:
                again.text, again.embedding = row.text, row.embedding
                again.embedding_model, again.content_hash = row.embedding_model, row.content_hash
                row = again
            self.store.save([row])
        return _record(row)

    @staticmethod
    def _merged(name: str, kind: str, description: str) -> EntityMemory:
        """The row as it should stand after this mention; unsaved."""
        key = name_key(name) or name
        same_name = {row.type: row for row in EntityMemory.objects.filter(name_key=key)}
        row = same_name.get(kind) or same_name.get(UNKNOWN)
        if row is None and kind == UNKNOWN and same_name:
            row = next(iter(same_name.values()))
        if row is None:
            row = EntityMemory(name=name, name_key=key, type=kind, description=description)
        else:
            row.mentions += 1
            row.type = kind if row.type == UNKNOWN else row.type
            row.description = max(row.description, description, key=len)
        row.text = f"{row.name} ({row.type}): {row.description}"
        return row

    def read(self, vector: Vector | None, k: int) -> Reading[EntityRecord]:
        """The `k` entities nearest to the query, as the entity segment."""
        hits = [] if vector is None else self.store.search(vector, k)
        records = tuple(_record(row, score) for row, score in hits)
        return Reading(
            kind=ENTITY,
            records=records,
            items=tuple(Item(f"- {r.name} ({r.type}): {r.description}".rstrip(": ")) for r in records),
            empty="No entity in memory yet.",
        )


def _record(row: EntityMemory, score: float = 0.0) -> EntityRecord:
    return EntityRecord(
        id=str(row.pk),
        name=row.name,
        type=row.type,
        description=row.description,
        mentions=row.mentions,
        score=score,
    )
