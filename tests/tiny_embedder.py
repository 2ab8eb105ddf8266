"""A deterministic stand-in for the embedding model: hashed words and letter triples.

Texts that share words are near each other; no torch, no download.
"""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from researchassist.memory.vectors import Vector, unit

DIMENSION = 64


class TinyEmbedder:
    """See `researchassist.memory.embedding.Embedder`; `calls` counts the texts embedded."""

    def __init__(self, name: str = "tiny") -> None:
        self.name = name
        self.calls = 0

    @property
    def max_tokens(self) -> int:
        return 400

    def count_tokens(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def embed(self, texts: Sequence[str]) -> Vector:
        self.calls += len(texts)
        return unit(np.stack([self._one(text) for text in texts]))

    def _one_unit(self, text: str) -> Vector:
        """What `embed` gives for one text, without counting it."""
        return unit(self._one(text))[0]

    @staticmethod
    def _one(text: str) -> np.ndarray:
        vector = np.full(DIMENSION, 1e-3)
        for word in re.findall(r"\w+", text.casefold()):
            for piece, weight in [(word, 1.0), *((word[i : i + 3], 0.3) for i in range(len(word) - 2))]:
                digest = hashlib.blake2b(piece.encode(), digest_size=4).digest()
                vector[digest[0] % DIMENSION] += weight * (1 if digest[1] % 2 else -1)
        return vector
