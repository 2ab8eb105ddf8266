"""What the five vector stores share: writing rows with their vectors, and exact search.

Owns the matrix of its table in this process and how it is kept in step with the table. The
embedding is done before the transaction; a transaction only writes.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np
from django.db import connection, transaction
from django.db.models import Q

from researchassist.memory import binding, clock
from researchassist.memory.embedding import Embedder
from researchassist.memory.models import StoreRevision, VectorTombstone
from researchassist.memory.models.base import VectorRow
from researchassist.memory.text import content_hash
from researchassist.memory.vectors import Ids, Matrix, Scores, Vector, from_bytes, to_bytes
from researchassist.options import DISTANCE

_FETCH_ROWS = 2000
_LOOKS = 5


Row = TypeVar("Row", bound=VectorRow)


class VectorStore(Generic[Row]):
    """A table of vector rows searched by cosine. Safe to share between threads."""

    distance = DISTANCE

    def __init__(self, model: type[Row]) -> None:
        self.model = model
        self.name: str = model._meta.db_table
        self._lock = threading.Lock()
        self._matrix = Matrix()
        self._revision = 0

    # Writing

    def embed(self, rows: Sequence[Row], embedder: Embedder) -> None:
        """Fills each row's embedding, model and content hash from its text; touches no table."""
        if not rows:
            return
        vectors = embedder.embed([row.text for row in rows])
        for row, vector in zip(rows, vectors, strict=True):
            row.embedding = to_bytes(vector)
            row.embedding_model = embedder.name
            row.content_hash = content_hash(row.text)

    def save(self, rows: Sequence[Row]) -> None:
        """Inserts embedded rows, or updates those that have an id, in one transaction."""
        if not rows:
            return
        with transaction.atomic():
            for model_name in {row.embedding_model for row in rows}:
                binding.bind(model_name)
            revision = self._next_revision()
            for row in rows:
                row.revision = revision
                if row.timestamp is None:
                    row.timestamp = clock.now()
            known = [row for row in rows if row.pk is not None]
            self.model._default_manager.bulk_create([row for row in rows if row.pk is None])
            for row in known:
                row.save()

    def delete(self, ids: Iterable[int]) -> int:
        """Deletes the rows of these ids; says how many there were."""
        with transaction.atomic():
            found = list(self.model._default_manager.filter(pk__in=list(ids)).values_list("pk", flat=True))
            if found:
                revision = self._next_revision()
                VectorTombstone.objects.bulk_create(
                    VectorTombstone(store=self.name, row_id=pk, revision=revision) for pk in found
                )
                self.model._default_manager.filter(pk__in=found).delete()
            return len(found)

    def _next_revision(self) -> int:
        """The revision of the transaction under way; the row is locked until it ends."""
        StoreRevision.objects.get_or_create(store=self.name)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE store_revision SET revision = revision + 1 WHERE store = %s RETURNING revision",
                [self.name],
            )
            return int(cursor.fetchone()[0])

    # Searching

    def size(self) -> int:
        """How many rows the store holds, whichever process wrote them."""
        return len(self._in_step())

    def search(self, vector: Vector, k: int, where: Q | None = None) -> list[tuple[Row, float]]:
        """The `k` rows nearest to the unit `vector` (d,), best first, with their cosine; ties by id.

        `where` restricts the rows before they are ranked.
        """
        found: list[tuple[Row, float]] = []
        for _ in range(_LOOKS):
            matrix = self._in_step()
            if len(matrix) == 0:
                return []
            allowed: Ids | None = None
            if where is not None:
                ids = self.model._default_manager.filter(where).values_list("pk", flat=True)
                allowed = np.fromiter(ids.iterator(), dtype=np.int64)
            hits = matrix.search(vector, k, allowed)
            rows = self.model._default_manager.in_bulk([pk for pk, _ in hits])
            found = [(rows[pk], score) for pk, score in hits if pk in rows]
            if len(found) == len(hits):
                break
            # Rows went between the two looks, a document's perhaps with its new version in their
            # place: look again, so that no answer rests on the rest of an old one.
        return found

    def cosines(self, vector: Vector) -> tuple[Ids, Scores]:
        """Every row's id with its cosine to the unit `vector` (d,), unordered; for rankings of one's own."""
        return self._in_step().cosines(vector)

    def _in_step(self) -> Matrix:
        """The matrix with everything that any process has committed; reads only what is new."""
        with self._lock:
            newest = self._newest_revision()
            if newest < self._revision:
                self._matrix, self._revision = Matrix(), 0
            if newest > self._revision:
                self._read_changes(since=self._revision, until=newest)
                self._revision = newest
            return self._matrix

    def _newest_revision(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT revision FROM store_revision WHERE store = %s", [self.name])
            row = cursor.fetchone()
        return int(row[0]) if row else 0

    def _read_changes(self, *, since: int, until: int) -> None:
        """Applies what was written after revision `since`, up to `until`.

        The upper bound makes the two reads belong together: what a writer commits between them
        is newer than `until` and comes with the next look.
        """
        tombstones = VectorTombstone.objects.filter(
            store=self.name, revision__gt=since, revision__lte=until
        ).values_list("row_id", flat=True)
        removed: Ids = np.array(list(tombstones), dtype=np.int64)
        none = np.array([], dtype=np.int64)
        self._matrix.apply(ids=none, vectors=np.zeros((0, 0), dtype=np.float32), removed=removed)
        table = connection.ops.quote_name(self.name)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT id, embedding FROM {table} WHERE revision > %s AND revision <= %s",  # noqa: S608
                [since, until],
            )
            while rows := cursor.fetchmany(_FETCH_ROWS):
                ids = np.array([row[0] for row in rows], dtype=np.int64)
                vectors = from_bytes([bytes(row[1]) for row in rows])
                self._matrix.apply(ids=ids, vectors=vectors, removed=none)
