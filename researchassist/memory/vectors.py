"""Unit float32 vectors, their bytes, and exact cosine search over a matrix in this process.

Pure numpy: knows no table and no model. Cosine of unit vectors is their dot product.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from researchassist.errors import EmbeddingError

Vector = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]

_DEAD = -1
# Scores this near in float32 are decided in float64, so that equal vectors tie exactly.
_TIE_MARGIN = 1e-5
_FIRST_CAPACITY = 64


def unit(vectors: npt.ArrayLike) -> Vector:
    """`vectors` (n, d) as float32 rows of length 1.

    Raises EmbeddingError for a zero or non-finite row.
    """
    matrix = np.atleast_2d(np.asarray(vectors, dtype=np.float64))
    if not np.isfinite(matrix).all():
        raise EmbeddingError("A vector is not finite (NaN or infinity) and was refused.")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if (lengths == 0).any():
        raise EmbeddingError("A vector is zero and was refused.")
    units: Vector = (matrix / lengths).astype(np.float32)
    return units


def to_bytes(vector: Vector) -> bytes:
    """Little-endian float32 bytes of one vector (d,)."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def from_bytes(rows: Sequence[bytes]) -> Vector:
    """A matrix (n, d) of the rows' bytes; raises EmbeddingError where their lengths differ."""
    if len({len(row) for row in rows}) > 1:
        raise EmbeddingError("Stored vectors of different lengths cannot be compared.")
    return np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1).astype(np.float32)


@dataclass(frozen=True)
class _Snapshot:
    """What one search looks at: arrays that are never changed below `count`, only replaced."""

    ids: Ids
    data: Vector
    count: int
    dead: int


class Matrix:
    """Unit vectors by row id, of the dimension of the first that came.

    Any thread may search while another applies changes.

    Appends go into spare capacity; a changed or removed row's slot is marked dead in a new
    id array, so that a search under way keeps seeing what it started with.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        none = np.zeros((0, 0), dtype=np.float32)
        self._now = _Snapshot(np.zeros(0, dtype=np.int64), none, count=0, dead=0)

    def __len__(self) -> int:
        return self._now.count - self._now.dead

    def apply(self, *, ids: Ids, vectors: Vector, removed: Ids) -> None:
        """Takes out `removed`, then adds or replaces `ids` (n,) by `vectors` (n, d)."""
        with self._lock:
            old = self._now
            live = old.ids[: old.count]
            gone = np.isin(live, np.concatenate([removed, ids]))
            keep = int(old.count - old.dead - gone.sum())
            if gone.any() and keep < old.count * 3 // 4:
                old, gone = self._compacted(old, gone), np.zeros(keep, dtype=bool)
            new_ids, data = self._with_room(old, vectors)
            new_ids[: old.count][gone] = _DEAD
            new_ids[old.count : old.count + len(ids)] = ids
            self._now = _Snapshot(new_ids, data, old.count + len(ids), old.dead + int(gone.sum()))

    @staticmethod
    def _compacted(old: _Snapshot, gone: npt.NDArray[np.bool_]) -> _Snapshot:
        """The living rows alone, in their order."""
        slots = np.flatnonzero((old.ids[: old.count] != _DEAD) & ~gone)
        return _Snapshot(old.ids[slots], old.data[slots], len(slots), 0)

    @staticmethod
    def _with_room(old: _Snapshot, vectors: Vector) -> tuple[Ids, Vector]:
        """A copy of the ids with room, and the data with `vectors` at its end.

        Data that is full is copied to a place a quarter larger; else no row is moved.
        """
        needed = old.count + len(vectors)
        data = old.data
        if len(vectors) and old.count and vectors.shape[1] != data.shape[1]:
            raise EmbeddingError(
                f"A vector of {vectors.shape[1]} dimensions does not go with those of {data.shape[1]}."
            )
        if needed > len(data) or (not old.count and len(vectors)):
            grown = np.zeros((max(needed + needed // 4, _FIRST_CAPACITY), vectors.shape[1]), dtype=np.float32)
            grown[: old.count] = data[: old.count] if old.count else 0
            data = grown
        if len(vectors):
            data[old.count : needed] = vectors
        ids = np.full(len(data), _DEAD, dtype=np.int64)
        ids[: old.count] = old.ids[: old.count]
        return ids, data

    def search(self, query: Vector, k: int, allowed: Ids | None = None) -> list[tuple[int, float]]:
        """The `k` rows nearest to `query` (d,), best first, as (row id, cosine); ties by id.

        `allowed` restricts the rows before they are ranked. Fewer come back where there are
        fewer; none for an empty matrix. Raises EmbeddingError for a zero or non-finite query.
        """
        now = self._now
        target = unit(query)[0]
        if now.count == now.dead:
            return []
        if target.shape[0] != now.data.shape[1]:
            raise EmbeddingError(
                f"A query of {target.shape[0]} dimensions was compared with vectors of {now.data.shape[1]}."
            )
        ids = now.ids[: now.count]
        usable = ids != _DEAD
        if allowed is not None:
            usable &= np.isin(ids, allowed)
        slots = np.flatnonzero(usable)
        k = min(k, len(slots))
        if k <= 0:
            return []
        scores = now.data[: now.count] @ target
        scores = scores[slots]
        edge = np.partition(scores, len(scores) - k)[len(scores) - k] - _TIE_MARGIN
        near = slots[scores >= edge]
        exact = np.einsum("ij,j->i", now.data[near].astype(np.float64), target.astype(np.float64))
        order = np.lexsort((ids[near], -exact))[:k]
        return [(int(ids[near[i]]), float(exact[i])) for i in order]

    def cosines(self, query: Vector) -> tuple[Ids, Scores]:
        """Every row with its cosine to `query` (d,), unordered: ids (n,) and float32 cosines (n,).

        Raises EmbeddingError for a zero or non-finite query, or one of another length.
        """
        now = self._now
        target = unit(query)[0]
        if now.count == now.dead:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        if target.shape[0] != now.data.shape[1]:
            raise EmbeddingError(
                f"A query of {target.shape[0]} dimensions was compared with vectors of {now.data.shape[1]}."
            )
        ids = now.ids[: now.count]
        usable = ids != _DEAD
        return ids[usable], (now.data[: now.count] @ target)[usable]
