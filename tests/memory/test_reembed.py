"""Moving to another embedding model: nothing mixed, nothing silently missing, and a kill costs nothing."""

import re

import numpy as np
import pytest
from django.db import connection

from researchassist.errors import EmbeddingModelMismatch
from researchassist.memory import binding
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import SemanticMemory
from researchassist.memory.reembed import move
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from researchassist.memory.vectors import unit
from tests import second_process
from tests.tiny_embedder import TinyEmbedder


class OtherEmbedder(TinyEmbedder):
    """Another model, of another dimension."""

    def embed(self, texts):
        self.calls += len(texts)
        return unit(np.stack([np.append(self._one(text), [0.5, 0.5]) for text in texts]))


@pytest.fixture
def moved_to(memory) -> MemoryManager:
    """The same database with the model to move to."""
    return MemoryManager(memory.options, OtherEmbedder("other"))


def fill(memory: MemoryManager, passages: int = 5) -> int:
    """Something in every kind of store; how many rows those are."""
    draft = DocumentDraft(source="owls.md", kind="markdown", title="Owls", file_hash="1")
    memory.write_document(
        draft, [PassageDraft(text=f"Owl number {n}", start=0, end=1) for n in range(passages)]
    )
    memory.write_toolbox(name="look", description="Look", signature="()", parameters={}, queries=["see owls"])
    memory.write_entity("Marlow", "PERSON", "")
    memory.write_workflow("q", ["look()"], "a")
    message = memory.write_conversational_memory("Owls hunt", "user", "alice")
    memory.write_summary(
        full_content="x", summary="y", description="z", thread_id="alice", messages=[message]
    )
    memory.embed_all_messages()
    return sum(store.size() for store in memory.all_vector_stores())


def move_all(memory: MemoryManager) -> list:
    return list(move(memory, memory.all_vector_stores()))


def test_every_row_of_every_store_is_moved_and_searched_by_the_new_model(memory, moved_to):
    rows = fill(memory)
    steps = move_all(moved_to)
    assert sum(step.done for step in steps) == rows == moved_to.embedder.calls
    assert all(store.size() == store.model.objects.count() for store in moved_to.all_vector_stores())
    assert moved_to.read_knowledge_base("Owl number 3").records[0].text == "Owl number 3"
    assert moved_to.recall_messages("owls").waiting == 0
    assert binding.bound_model() == "other"
    assert move_all(moved_to) == []
    with pytest.raises(EmbeddingModelMismatch, match="reembed"):
        memory.read_knowledge_base("Owl number 3")


def test_meanwhile_a_search_gives_what_is_moved_and_says_what_is_not(memory, moved_to, monkeypatch):
    from researchassist.memory import reembed

    monkeypatch.setattr(reembed, "_ROWS", 10)
    fill(memory, passages=25)
    steps = move(moved_to, [moved_to._knowledge_base.store])
    next(steps)
    reading = moved_to.read_knowledge_base("Owl", 99)
    assert len(reading.records) == 10
    assert "15 passages wait to be moved to another embedding model" in reading.text()
    assert "Owl number 20" in moved_to.search_documents("Owl number 20", 5).text()
    list(steps)
    assert "wait to be moved" not in moved_to.read_knowledge_base("Owl", 99).text()


def test_what_is_written_meanwhile_is_not_overwritten(memory, moved_to):
    fill(memory)
    store = moved_to._knowledge_base.store
    rows = store.not_of("other", 99)
    binding.begin_move("other")
    SemanticMemory.objects.filter(pk=rows[0].pk).update(text="Heron", content_hash="changed")
    store.move(rows, moved_to.embedder.embed([row.text for row in rows]), "other")
    assert store.count_not_of("other") == 1


def test_a_text_longer_than_the_new_model_takes_is_embedded_whole(memory, moved_to):
    memory.write_knowledge_base("word " * 390 + "needle", {})
    small = OtherEmbedder("other")
    type(small).max_tokens, given = 50, []
    try:
        embed = small.embed
        small.embed = lambda texts: given.extend(texts) or embed(texts)
        move_all(MemoryManager(memory.options, small))
    finally:
        del type(small).max_tokens
    assert "".join(given) == "word " * 390 + "needle"
    assert all(small.count_tokens(text) <= 50 for text in given)


def test_a_forgotten_document_comes_back_by_the_new_model(memory, moved_to):
    fill(memory)
    [document] = memory.documents()
    memory.forget_document(document.id)
    move_all(moved_to)
    moved_to.restore_document(document.id)
    assert moved_to.read_knowledge_base("Owl number 3").records[0].text == "Owl number 3"


@pytest.mark.django_db(transaction=True)
def test_a_move_that_is_killed_goes_on_where_it_was(memory, moved_to):
    rows = fill(memory, passages=60)
    script = """
import os, signal
from researchassist.memory import reembed
from tests.memory.test_reembed import OtherEmbedder
reembed._ROWS = 10
other = MemoryManager(Options(), OtherEmbedder("other"))
for number, step in enumerate(reembed.move(other, [other._knowledge_base.store])):
    print(step.done, flush=True)
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
"""
    process = second_process.started(script, connection.settings_dict["NAME"])
    out, _ = process.communicate(timeout=120)
    assert process.returncode == -9
    assert re.findall(r"\d+", out) == ["10", "20", "30"]
    assert len(moved_to.read_knowledge_base("Owl", 99).records) == 30
    with pytest.raises(EmbeddingModelMismatch):
        memory.read_knowledge_base("Owl")
    calls = moved_to.embedder.calls
    move_all(moved_to)
    assert moved_to.embedder.calls - calls == rows - 30
    assert len(moved_to.read_knowledge_base("Owl", 99).records) == 60
    assert binding.moving_to() is None
