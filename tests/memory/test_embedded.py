"""The embedding model a memory uses for its database."""

import logging

import pytest

from researchassist.memory import embedding
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder


class Narrow(TinyEmbedder):
    @property
    def max_tokens(self) -> int:
        return 120


@pytest.mark.parametrize(("embedder", "said"), [(Narrow(), True), (TinyEmbedder(), False)])
def test_a_model_that_takes_less_than_a_passage_is_said_once(db, caplog, monkeypatch, embedder, said):
    monkeypatch.setattr(embedding, "choose", lambda *_: embedder)
    caplog.set_level(logging.WARNING)
    memory = MemoryManager(Options())
    assert memory.embedder is embedder
    assert memory.embedder is embedder
    assert caplog.text.count("takes 120 tokens at a time") == said
