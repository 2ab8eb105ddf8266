"""What the five vector stores share: writing rows with their vectors, and exact search.

Owns the matrix of its table in this process and how it is kept in step with the table. The
embedding is done before the transaction; a transaction only writes.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from django.db import connection, transaction
from django.db.models import Q

from researchassist.memory import binding, clock
from researchassist.memory.embedding import Embedder
from researchassist.memory.fusion import fused
from researchassist.memory.matrix import Matrix
from researchassist.memory.models import StoreRevision
from researchassist.memory.models.base import VectorRow
from researchassist.memory.text import content_hash
from researchassist.memory.vectors import Ids, Scores, Vector, are_unit, from_bytes, to_bytes
from researchassist.memory.word_index import WordIndex
from researchassist.options import DISTANCE

log = logging.getLogger(__name__)

_FETCH_ROWS = 2000
_LOOKS = 5
# Rows embedded at a time: many texts hold neither memory nor the processors at once.
_EMBED_ROWS = 256
_HASHES = 500
_NO_IDS: Ids = np.zeros(0, dtype=np.int64)
_NO_ROWS: Vector = np.zeros((0, 0), dtype=np.float32)

Row = TypeVar("Row", bound=VectorRow)
Score = TypeVar("Score")


class Hit(NamedTuple):
    """How well a row fits by meaning, and by meaning and words together (0..1)."""

    cosine: float
    fused: float


class VectorStore(Generic[Row]):
    """A table of vector rows searched by cosine. Safe to share between threads."""

    distance = DISTANCE

    def __init__(self, model: type[Row], words: WordIndex | None = None) -> None:
        """`words` is the word index of the table, where it has one."""
        self.model = model
        self._words = words
        self.name: str = model._meta.db_table
        self._lock = threading.Lock()
        self._matrix = Matrix()
        self._revision = 0
        # Whose vectors the matrix holds: those of one model only are ever compared (promise 4).
        self._model_name: str | None = None

    # Writing

    def embed(self, rows: Sequence[Row], embedder: Embedder) -> None:
        """Fills each row's embedding, model and content hash from its text; writes nothing.

        A text that stands in the store already, or twice among `rows`, is not embedded again. The
        others go to the model in the order of their length, whichever documents they belong to.
        """
        for row in rows:
            row.content_hash = content_hash(row.text)
            row.embedding_model = embedder.name
        known = self._embedded({row.content_hash for row in rows}, embedder.name)
        missing = {row.content_hash: row.text for row in rows if row.content_hash not in known}
        by_length = sorted(missing, key=lambda key: len(missing[key]))
        for start in range(0, len(by_length), _EMBED_ROWS):
            keys = by_length[start : start + _EMBED_ROWS]
            vectors = embedder.embed([missing[key] for key in keys])
            known |= {key: to_bytes(vector) for key, vector in zip(keys, vectors, strict=True)}
        for row in rows:
            row.embedding = known[row.content_hash]

    def _embedded(self, hashes: set[str], model_name: str) -> dict[str, bytes]:
        """The vectors this store has of these texts by this model, by their hash."""
        found: dict[str, bytes] = {}
        wanted = sorted(hashes)
        for start in range(0, len(wanted), _HASHES):
            rows = self.model._default_manager.filter(
                content_hash__in=wanted[start : start + _HASHES], embedding_model=model_name
            )
            found |= {key: bytes(vector) for key, vector in rows.values_list("content_hash", "embedding")}
        return found

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
        """Deletes the rows of these ids, leaving tombstones; says how many there were."""
        # One parameter for all ids: a statement takes only so many.
        chosen = "id IN (SELECT value FROM json_each(%s))"
        wanted = json.dumps([int(pk) for pk in ids])
        table = connection.ops.quote_name(self.name)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table} WHERE {chosen}", [wanted])
            count = int(cursor.fetchone()[0])
            if count:
                cursor.execute(
                    "INSERT INTO vector_tombstone (store, row_id, revision) "
                    f"SELECT %s, id, %s FROM {table} WHERE {chosen}",
                    [self.name, self._next_revision(), wanted],
                )
                cursor.execute(f"DELETE FROM {table} WHERE {chosen}", [wanted])
        return count

    # Moving to another model (see memory/reembed.py)

    def not_of(self, model_name: str, limit: int) -> list[Row]:
        """At most `limit` rows whose vectors are of another model."""
        others = self.model._default_manager.exclude(embedding_model=model_name)
        return list(others.only("pk", "text", "content_hash").order_by("pk")[:limit])

    def count_not_of(self, model_name: str) -> int:
        """How many rows have vectors of another model."""
        return self.model._default_manager.exclude(embedding_model=model_name).count()

    def move(self, rows: Sequence[Row], vectors: Vector, model_name: str) -> None:
        """Gives rows their vectors by another model; those that were written or went meanwhile stay."""
        table = connection.ops.quote_name(self.name)
        with transaction.atomic():
            revision = self._next_revision()
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"UPDATE {table} SET embedding = %s, embedding_model = %s, revision = %s "
                    "WHERE id = %s AND content_hash = %s AND embedding_model <> %s",
                    [
                        (to_bytes(vector), model_name, revision, row.pk, row.content_hash, model_name)
                        for row, vector in zip(rows, vectors, strict=True)
                    ],
                )

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
        return self._found(lambda matrix, allowed: matrix.search(vector, k, allowed), where)

    def fused_search(
        self, vector: Vector, words: str, k: int, where: Q | None = None
    ) -> list[tuple[Row, Hit]]:
        """The `k` rows that fit best by meaning and words together (fusion.py), best first.

        Only in a store that has a word index. The cosine of a row that only its words found is 0.
        """
        return self._found(lambda matrix, allowed: self._fused(matrix, vector, k, allowed, words), where)

    def _found(
        self, rank: Callable[[Matrix, Ids | None], list[tuple[int, Score]]], where: Q | None
    ) -> list[tuple[Row, Score]]:
        found: list[tuple[Row, Score]] = []
        for _ in range(_LOOKS):
            allowed: Ids | None = None
            if where is not None:
                ids = self.model._default_manager.filter(where).values_list("pk", flat=True)
                allowed = np.fromiter(ids.iterator(), dtype=np.int64)
            hits = rank(self._in_step(), allowed)
            rows = self.model._default_manager.in_bulk([pk for pk, _ in hits])
            found = [(rows[pk], score) for pk, score in hits if pk in rows]
            if len(found) == len(hits):
                break
            # Rows went between the two looks, a document's perhaps with its new version in their
            # place: look again, so that no answer rests on the rest of an old one.
        return found

    def _fused(
        self, matrix: Matrix, vector: Vector, k: int, allowed: Ids | None, words: str
    ) -> list[tuple[int, Hit]]:
        assert self._words is not None
        in_matrix, cosines = matrix.cosines(vector, allowed)
        with_words, scores = self._words.scores(words)
        if allowed is not None:
            keep = np.isin(with_words, allowed)
            with_words, scores = with_words[keep], scores[keep]
        ids = np.union1d(in_matrix, with_words)
        meaning, by_words = np.full(len(ids), np.nan), np.zeros(len(ids))
        meaning[np.searchsorted(ids, in_matrix)] = cosines
        by_words[np.searchsorted(ids, with_words)] = scores
        both = fused(meaning, by_words)
        best = np.argsort(-both, kind="stable")[:k]
        meaning = np.nan_to_num(meaning)
        return [(int(ids[place]), Hit(float(meaning[place]), float(both[place]))) for place in best]

    def cosines(self, vector: Vector) -> tuple[Ids, Scores]:
        """Every row's id with its cosine to the unit `vector` (d,), unordered; for rankings of one's own."""
        return self._in_step().cosines(vector)

    def _in_step(self) -> Matrix:
        """The matrix with everything that any process has committed; reads only what is new.

        Within a transaction, whose own rows may yet be rolled back, a copy of it that is used once.
        """
        with self._lock:
            newest, model_name = self._newest_revision()
            if newest == self._revision and model_name == self._model_name:
                return self._matrix
            started_anew = newest < self._revision or model_name != self._model_name
            matrix = Matrix() if started_anew else self._matrix
            if connection.in_atomic_block:
                matrix = matrix.copy()
            since = 0 if started_anew else self._revision
            self._read_changes(matrix, model_name, since=since, until=newest)
            if not connection.in_atomic_block:
                self._matrix, self._revision, self._model_name = matrix, newest, model_name
            return matrix

    def _newest_revision(self) -> tuple[int, str | None]:
        """The newest revision, and the model that the database is bound to."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT (SELECT revision FROM store_revision WHERE store = %s), "
                "(SELECT value FROM store_state WHERE key = %s)",
                [self.name, binding.KEY],
            )
            revision, model_name = cursor.fetchone()
        return int(revision or 0), model_name

    def _read_changes(self, matrix: Matrix, model_name: str | None, *, since: int, until: int) -> None:
        """Applies what was written after revision `since`, up to `until`; only vectors of this model.

        The upper bound makes the two reads belong together: what a writer commits between them
        is newer than `until` and comes with the next look.
        """
        table = connection.ops.quote_name(self.name)
        with connection.cursor() as cursor:
            if len(matrix):
                cursor.execute(
                    "SELECT row_id FROM vector_tombstone "
                    "WHERE store = %s AND revision > %s AND revision <= %s",
                    [self.name, since, until],
                )
                removed = np.fromiter((row[0] for row in cursor.fetchall()), dtype=np.int64)
                matrix.apply(ids=_NO_IDS, vectors=_NO_ROWS, removed=removed)
            cursor.execute(
                f"SELECT id, embedding FROM {table} "
                "WHERE revision > %s AND revision <= %s AND embedding_model = %s",
                [since, until, model_name],
            )
            while rows := cursor.fetchmany(_FETCH_ROWS):
                ids = np.fromiter((row[0] for row in rows), dtype=np.int64)
                vectors = from_bytes([row[1] for row in rows])
                sound = are_unit(vectors)
                if not sound.all():
                    log.warning(
                        "%s: %d rows without a usable vector are left out.", self.name, (~sound).sum()
                    )
                    ids, vectors = ids[sound], vectors[sound]
                matrix.apply(ids=ids, vectors=vectors, removed=_NO_IDS)


def not_moved(store: VectorStore[Any]) -> int:
    """How many rows of a store wait to be moved to another model; 0 where no move is under way."""
    model_name = binding.moving_to()
    return 0 if model_name is None else store.count_not_of(model_name)
