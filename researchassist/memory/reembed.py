"""Moving a database to another embedding model: resumable, while it is in use.

Owns the order and the mark that a move is under way. From its first step on the database is bound to the
new model; a row whose vector is still of the old one is not found by meaning until it is moved, and
reads say how many those are. What says that a row is moved is the row itself, so that a move that
was killed goes on where it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import binding
from .embedded import EmbeddedMemory
from .stores.vector_store import VectorStore
from .vectors import Vector, unit

_ROWS = 128


@dataclass(frozen=True)
class Moved:
    """How far a store is: its table, rows that are moved, and rows there were to move in this run."""

    store: str
    done: int
    total: int


def move(memory: EmbeddedMemory, stores: Sequence[VectorStore[Any]]) -> Iterator[Moved]:
    """Moves every row of the stores to the memory's embedding model, batch by batch, small stores first.

    Each batch is a transaction of its own, embedded before it. Ends at once where nothing is to be moved.
    """
    name = memory.embedder.name
    waiting = {store: count for store in stores if (count := store.count_not_of(name))}
    binding.begin_move(name)
    for store in sorted(waiting, key=lambda one: waiting[one]):
        done = 0
        while rows := store.not_of(name, _ROWS):
            store.move(rows, _vectors(memory, [row.text for row in rows]), name)
            done += len(rows)
            yield Moved(store.name, done, max(waiting[store], done))
    binding.end_move(name)


def _vectors(memory: EmbeddedMemory, texts: Sequence[str]) -> Vector:
    """The texts' vectors (n, d); one longer than the new model takes is embedded in parts and averaged."""
    parts = [memory.pieces(text) or [text] for text in texts]
    vectors = memory.embedder.embed([part for some in parts for part in some])
    ends = np.cumsum([len(some) for some in parts])
    return np.stack([unit(np.sum(group, axis=0))[0] for group in np.split(vectors, ends[:-1])])
