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
        parts, half = self.pieces(query), _LONG_QUERY_PARTS // 2
        vectors = self.embedder.embed(parts if len(parts) <= 2 * half else parts[:half] + parts[-half:])
        vector: Vector = unit(np.sum(vectors, axis=0))[0]
        with self._lock:
            self._queries[query] = vector
            while len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def pieces(self, text: str, beside: str = "") -> list[str]:
        """The text halved, at spaces where there are some, until each piece is within the limits of a
        passage together with `beside`; blank pieces are left out."""
        size, tokens = self.options.chunk_chars, self.embedder.max_tokens
        tokens -= self.embedder.count_tokens(beside) if beside else 0
        pieces: list[str] = []
        waiting = [text]
        while waiting:
            piece = waiting.pop()
            if len(piece) <= 1 or (len(piece) <= size and self.embedder.count_tokens(piece) <= tokens):
                pieces += [piece] if piece.strip() else []
            else:
                middle = _middle(piece)
                waiting += [piece[middle:], piece[:middle]]
        return pieces


def _middle(text: str) -> int:
    """Where to halve a text: at the last space before its middle, unless that is far off."""
    half = len(text) // 2
    space = text.rfind(" ", half // 2, half)
    return space + 1 if space >= 0 else half


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
