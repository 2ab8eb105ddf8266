import numpy as np
import pytest

from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder


@pytest.mark.parametrize("query", ["", "  \n", "\x00"])
def test_a_blank_query_finds_nothing_and_breaks_nothing(memory, query: str):
    memory.write_knowledge_base("Owls hunt at night", {})
    assert memory.read_knowledge_base(query).records == ()
    assert memory.read_toolbox(query) == []


def test_a_query_is_embedded_once_for_all_five_reads(memory, tiny_embedder):
    memory.read_knowledge_base("owl")
    memory.read_entity("owl")
    memory.read_workflow("owl")
    assert tiny_embedder.calls == 1


@pytest.mark.parametrize(
    "query", ["!" * 1500, "日" * 1500, "word " * 2000, "🦉" * 5000, "a\nb " * 700, "x" * 100_000]
)
def test_no_part_of_a_long_query_is_cut_by_the_model(query: str, db):
    class Watching(TinyEmbedder):
        """Counts each character as a token, as a tokenizer may do for rare scripts."""

        def count_tokens(self, text: str) -> int:
            return len(text)

        def embed(self, texts):
            self.seen = list(texts)
            return super().embed(texts)

    embedder = Watching()
    vector = MemoryManager(Options(), embedder).query_vector(query)
    assert all(embedder.count_tokens(text) <= embedder.max_tokens for text in embedder.seen)
    assert all(text.strip() for text in embedder.seen)
    assert len(embedder.seen) <= 8
    assert query.startswith(embedder.seen[0].rstrip())
    assert query.rstrip().endswith(embedder.seen[-1].strip())
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_every_k_has_the_specifications_default(memory):
    for number in range(12):
        memory.write_knowledge_base(f"owl {number}", {})
        memory.write_entity(f"Owl {number}", "SYSTEM", "")
        memory.write_workflow(f"owl {number}", ["s"], "a")
        memory.write_summary(full_content="a", summary="b", description=f"owl {number}", thread_id=None)
    assert len(memory.read_knowledge_base("owl").records) == 3
    assert len(memory.read_entity("owl").records) == 5
    assert len(memory.read_workflow("owl").records) == 3
    assert len(memory.read_summary_context("owl", "alice").records) == 10


def test_sizes_count_each_vector_store(memory):
    memory.write_entity("Owl", "SYSTEM", "")
    assert memory.sizes() == {
        "semantic_memory": 0,
        "workflow_memory": 0,
        "toolbox_memory": 0,
        "entity_memory": 1,
        "summary_memory": 0,
    }


def test_a_fact_about_the_database_is_kept(memory):
    assert memory.state("samples") is None
    memory.set_state("samples", "yes")
    memory.set_state("samples", "no")
    assert memory.state("samples") == "no"
