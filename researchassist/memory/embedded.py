"""The part of MemoryManager that embeds: its one embedding model, and the vectors of queries.

Owns which model this process uses for its database, and the latest queries' vectors.
"""

import logging
import threading
from collections import OrderedDict

import numpy as np

from researchassist.options import Options

from . import binding, embedding
from .embedding import Embedder
from .exact import ExactMemory
from .text import storable
from .vectors import Vector, unit

log = logging.getLogger(__name__)

_QUERIES_KEPT = 64
_LONG_QUERY_PARTS = 8
# Of English text; fewer of other scripts.
_CHARACTERS_A_TOKEN = 4


class EmbeddedMemory(ExactMemory):
    """Memory with an embedding model. Threads may share one."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options)
        self._given = embedder
        self._chosen: Embedder | None = None
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, Vector] = OrderedDict()

    @property
    def embedder(self) -> Embedder:
        """The one embedding model; raises EmbeddingModelMismatch where the database has another."""
        if self._given is not None:
            return self._given
        with self._lock:
            if self._chosen is None:
                bound = binding.bound_model()
                option = self.options.embedding_model
                binding.refuse_other(embedding.name_of(option, bound), bound)
                self._chosen = embedding.choose(option, bound)
                _warn_of_a_small_limit(self._chosen, self.options)
            return self._chosen

    def check_embedding_model(self) -> None:
        """Raises EmbeddingModelMismatch early, without loading a model or asking a hub."""
        bound = binding.bound_model()
        binding.refuse_other(embedding.name_of(self.options.embedding_model, bound), bound)

    def query_vector(self, query: str) -> Vector | None:
        """The unit vector (d,) of a query, or None where it is blank.

        A query longer than the model's limit is embedded in parts that fit it and averaged; of a
        very long one the parts at the start and at the end.
        """
        query = storable(query)
        if not query.strip():
            return None
        binding.refuse_other(self.embedder.name, binding.bound_model())
        with self._lock:
            if query in self._queries:
                self._queries.move_to_end(query)
                return self._queries[query]
        vectors = self.embedder.embed(self._parts(query))
        vector: Vector = unit(np.sum(vectors, axis=0))[0]
        with self._lock:
            self._queries[query] = vector
            while len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def _parts(self, query: str) -> list[str]:
        """The query halved until each part is within the limits of a passage; at most _LONG_QUERY_PARTS."""
        size, half = self.options.chunk_chars, _LONG_QUERY_PARTS // 2
        parts: list[str] = []
        waiting = [query]
        while waiting:
            part = waiting.pop()
            fits = len(part) <= size and self.embedder.count_tokens(part) <= self.embedder.max_tokens
            if fits or len(part) == 1:
                parts += [part] if part.strip() else []
            else:
                waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
        return parts if len(parts) <= _LONG_QUERY_PARTS else parts[:half] + parts[-half:]


def _warn_of_a_small_limit(embedder: Embedder, options: Options) -> None:
    """Says once that passages will be smaller than configured, where the model takes less at a time."""
    fits = embedder.max_tokens * _CHARACTERS_A_TOKEN
    if fits < options.chunk_chars:
        log.warning(
            "%s takes %d tokens at a time: passages are cut to about %d characters instead of %d.",
            embedder.name,
            embedder.max_tokens,
            fits,
            options.chunk_chars,
        )
