"""Unit float32 vectors and their bytes. Pure numpy; the cosine of unit vectors is their dot product."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from researchassist.errors import EmbeddingError

Vector = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]

# How far from 1 the length of a unit vector may be once it is rounded to float32.
_ROUNDING = 1e-3


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
    flat = np.frombuffer(b"".join(rows), dtype="<f4").astype(np.float32, copy=False)
    return flat.reshape(len(rows), -1)


def are_unit(vectors: Vector) -> npt.NDArray[np.bool_]:
    """For each row of (n, d) whether it is finite and of length 1; a zero row is not."""
    with np.errstate(invalid="ignore", over="ignore"):
        near: npt.NDArray[np.bool_] = np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1) < 2 * _ROUNDING
    return near
