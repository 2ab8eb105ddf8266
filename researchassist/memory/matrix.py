"""The vectors of one store in this process, and exact cosine search over them.

Pure numpy: knows no table and no model. Rows lie in blocks, each contiguous, so that growing and
deleting move at most one block and the peak of memory stays at the vectors and a little.
"""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from researchassist.errors import EmbeddingError

from .vectors import Ids, Scores, Vector, unit

# Rows of a full block: its scores stay in the processor's cache while they are compared.
BLOCK_ROWS = 16_384
_FIRST_ROWS = 64
_DEAD = -1
# Below every cosine: the score of a row that is not to be found.
_NEVER = np.float32(-9)
# Scores this near in float32 are decided in float64, so that equal vectors tie exactly.
_TIE_MARGIN = 1e-5
_EXACT_ROWS = 2048
_NO_IDS: Ids = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class _Block:
    """Rows that are never changed below `count`; a removed one has the id _DEAD in a new id array."""

    ids: Ids
    data: Vector
    count: int = 0
    dead: int = 0

    def without(self, gone: Ids) -> "_Block | None":
        """The block without these ids; copied once a quarter of it is dead, None where all is."""
        ids = self.ids[: self.count]
        dying = np.isin(ids, gone)
        if not dying.any():
            return self
        ids = np.where(dying, _DEAD, ids)
        dead = int((ids == _DEAD).sum())
        if dead == self.count:
            return None
        if dead * 4 < self.count:
            kept = np.full(len(self.ids), _DEAD, dtype=np.int64)
            kept[: self.count] = ids
            return replace(self, ids=kept, dead=dead)
        living = np.flatnonzero(ids != _DEAD)
        return _Block(ids[living], self.data[living], len(living))

    def grown(self, rows: int) -> "_Block":
        """The same rows with room for more, `rows` in all."""
        ids = np.full(rows, _DEAD, dtype=np.int64)
        data = np.empty((rows, self.data.shape[1]), dtype=np.float32)
        ids[: self.count], data[: self.count] = self.ids[: self.count], self.data[: self.count]
        return replace(self, ids=ids, data=data)

    def scores(self, target: Vector, allowed: Ids | None) -> Scores:
        """The cosine of every row to `target`; _NEVER for one that is dead or not allowed."""
        ids = self.ids[: self.count]
        found: Scores = self.data[: self.count] @ target
        if self.dead:
            found[ids == _DEAD] = _NEVER
        if allowed is not None:
            found[~np.isin(ids, allowed)] = _NEVER
        return found


class Matrix:
    """Unit vectors by row id, of the dimension of the first that came.

    Any thread may search while another applies changes: a search keeps the blocks it began with.
    Appends go into spare rows of the last block, which no search that is under way looks at.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: tuple[_Block, ...] = ()
        self._highest = _DEAD
        # Whether the last block's spare rows are this matrix' own to write.
        self._open = False

    def __len__(self) -> int:
        return sum(block.count - block.dead for block in self._blocks)

    def copy(self) -> "Matrix":
        """The same rows, to be changed apart; shares what is not changed."""
        other = Matrix()
        with self._lock:
            other._blocks, other._highest = self._blocks, self._highest
        return other

    def apply(self, *, ids: Ids, vectors: Vector, removed: Ids) -> None:
        """Takes out `removed`, then adds or replaces `ids` (n,) by `vectors` (n, d).

        Raises EmbeddingError, changing nothing, where their dimension is another.
        """
        with self._lock:
            if self._blocks and vectors.shape[1] not in (0, self._blocks[0].data.shape[1]):
                raise EmbeddingError(
                    f"A vector of {vectors.shape[1]} dimensions does not go with those of "
                    f"{self._blocks[0].data.shape[1]}."
                )
            self._remove(removed)
            blocks = self._blocks
            if len(replaced := ids[ids <= self._highest]):
                kept = [block.without(replaced) for block in blocks]
                self._open &= bool(kept) and kept[-1] is not None
                blocks = tuple(block for block in kept if block is not None)
            start = 0
            while start < len(ids):
                blocks, taken = self._appended(blocks, ids[start:], vectors[start:])
                start += taken
            self._highest = max(self._highest, int(ids.max()) if len(ids) else _DEAD)
            self._blocks = blocks

    def _remove(self, gone: Ids) -> None:
        """Takes these ids out, block by block, so that of no two blocks there are copies at a time."""
        place = 0
        while len(gone) and place < len(self._blocks):
            blocks = self._blocks
            kept = blocks[place].without(gone)
            self._open &= kept is not None or place < len(blocks) - 1
            self._blocks = (*blocks[:place], *([] if kept is None else [kept]), *blocks[place + 1 :])
            place += kept is not None
            del blocks, kept

    def _appended(
        self, blocks: tuple[_Block, ...], ids: Ids, vectors: Vector
    ) -> tuple[tuple[_Block, ...], int]:
        """The blocks with as many of the rows as the last one takes, and how many those were."""
        before, last = (blocks[:-1], blocks[-1]) if self._open else (blocks, None)
        if last is not None and last.count == len(last.ids):
            if len(last.ids) < BLOCK_ROWS:
                last = last.grown(min(max(4 * len(last.ids), last.count + len(ids)), BLOCK_ROWS))
            else:
                before, last = blocks, None
        if last is None:
            rows = BLOCK_ROWS if before else min(max(len(ids), _FIRST_ROWS), BLOCK_ROWS)
            none: Vector = np.empty((0, vectors.shape[1]), dtype=np.float32)
            last, self._open = _Block(_NO_IDS, none).grown(rows), True
        taken = min(len(last.ids) - last.count, len(ids))
        end = last.count + taken
        last.ids[last.count : end], last.data[last.count : end] = ids[:taken], vectors[:taken]
        return (*before, replace(last, count=end)), taken

    def search(self, query: Vector, k: int, allowed: Ids | None = None) -> list[tuple[int, float]]:
        """The `k` rows nearest to `query` (d,), best first, as (row id, cosine); ties by id.

        `allowed` restricts the rows before they are ranked. Fewer come back where there are
        fewer; none for an empty matrix. Raises EmbeddingError for a zero or non-finite query.
        """
        blocks = self._blocks
        target = _target(query, blocks)
        if k <= 0:
            return []
        edge = np.float32(_NEVER / 2)
        scores, slots = np.zeros(0, dtype=np.float32), np.zeros((0, 2), dtype=np.int32)
        for number, found in enumerate(_scores(blocks, target, allowed)):
            if number == 0 and len(found) > k:
                edge = max(edge, np.partition(found, len(found) - k)[len(found) - k] - _TIE_MARGIN)
            near = np.flatnonzero(found >= edge)
            if not len(near):
                continue
            scores = np.concatenate([scores, found[near]])
            where = np.empty((len(near), 2), dtype=np.int32)
            where[:, 0], where[:, 1] = number, near
            slots = np.concatenate([slots, where])
            if len(scores) > k:
                edge = np.partition(scores, len(scores) - k)[len(scores) - k] - _TIE_MARGIN
                kept = scores >= edge
                scores, slots = scores[kept], slots[kept]
        return self._ranked(blocks, slots, target, k)

    @staticmethod
    def _ranked(
        blocks: tuple[_Block, ...], slots: npt.NDArray[np.int32], target: Vector, k: int
    ) -> list[tuple[int, float]]:
        """The best `k` of the rows at (block, row), by their cosine in float64."""
        precise = target.astype(np.float64)
        ids, exact = np.zeros(len(slots), dtype=np.int64), np.zeros(len(slots))
        for number in np.unique(slots[:, 0]):
            block, here = blocks[number], np.flatnonzero(slots[:, 0] == number)
            # In pieces: where all rows tie, all of them are here.
            for start in range(0, len(here), _EXACT_ROWS):
                piece = here[start : start + _EXACT_ROWS]
                rows = slots[piece, 1]
                ids[piece] = block.ids[rows]
                exact[piece] = np.einsum("ij,j->i", block.data[rows].astype(np.float64), precise)
        order = np.lexsort((ids, -exact))[:k]
        return [(int(ids[i]), float(exact[i])) for i in order]

    def cosines(self, query: Vector, allowed: Ids | None = None) -> tuple[Ids, Scores]:
        """Every row's id and its cosine to `query` (d,), in no order; only `allowed` where they are given.

        Raises EmbeddingError for a zero or non-finite query.
        """
        blocks = self._blocks
        target = _target(query, blocks)
        ids, scores = [_NO_IDS], [np.zeros(0, dtype=np.float32)]
        for block, found in zip(blocks, _scores(blocks, target, allowed), strict=True):
            usable = found > _NEVER / 2
            ids.append(block.ids[: block.count][usable])
            scores.append(found[usable])
        return np.concatenate(ids), np.concatenate(scores)


def _scores(blocks: Sequence[_Block], target: Vector, allowed: Ids | None) -> Iterator[Scores]:
    """Each block's scores, in order; of several blocks two are read at a time."""
    if len(blocks) == 1:
        return iter([blocks[0].scores(target, allowed)])
    return _pool().map(lambda block: block.scores(target, allowed), blocks)


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads for reading blocks: numpy lets others run meanwhile, and one does not use up the memory's
    speed. More than two gave nothing (benchmarks/search.py)."""
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="matrix")


def _target(query: Vector, blocks: tuple[_Block, ...]) -> Vector:
    """The query with length 1; raises EmbeddingError where it cannot be compared with the blocks."""
    target: Vector = unit(query)[0]
    if blocks and target.shape[0] != blocks[0].data.shape[1]:
        raise EmbeddingError(
            f"A query of {target.shape[0]} dimensions was compared with vectors of {blocks[0].data.shape[1]}."
        )
    return target
