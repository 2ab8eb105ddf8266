import pytest

from researchassist.errors import EmbeddingModelMismatch
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import EntityMemory, SemanticMemory
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder


@pytest.fixture
def stranger(memory) -> MemoryManager:
    """A manager with another model on a database that is bound already."""
    memory.write_knowledge_base("Owls hunt at night", {})
    return MemoryManager(memory.options, TinyEmbedder("other"))


def test_the_first_vector_binds_the_database(memory):
    from researchassist.memory.binding import bound_model

    assert bound_model() is None
    memory.write_entity("Owl", "SYSTEM", "")
    assert bound_model() == "tiny"


@pytest.mark.parametrize(
    "write",
    [
        lambda m: m.write_knowledge_base("Rain", {}),
        lambda m: m.write_entity("Rain", "SYSTEM", ""),
        lambda m: m.write_workflow("q", ["s"], "a"),
        lambda m: m.write_summary(full_content="a", summary="b", description="c", thread_id=None),
        lambda m: m.write_toolbox(name="t", description="d", signature="", parameters={}),
    ],
)
def test_another_models_vectors_are_refused_and_nothing_is_written(stranger, memory, write):
    before = memory.sizes()
    with pytest.raises(EmbeddingModelMismatch, match="tiny, but other is configured"):
        write(stranger)
    assert memory.sizes() == before


@pytest.mark.parametrize("read", ["read_knowledge_base", "read_entity", "read_workflow", "read_toolbox"])
def test_another_models_query_is_refused(stranger, read: str):
    with pytest.raises(EmbeddingModelMismatch, match="RESEARCHASSIST_EMBEDDING_MODEL"):
        getattr(stranger, read)("owl")


def test_a_configured_name_is_refused_before_any_model_is_loaded(stranger):
    configured = MemoryManager(Options(embedding_model="packaged"))
    with pytest.raises(EmbeddingModelMismatch):
        configured.check_embedding_model()
    with pytest.raises(EmbeddingModelMismatch):
        configured.read_knowledge_base("owl")


def test_auto_is_never_refused(stranger):
    MemoryManager(Options()).check_embedding_model()


def test_messages_can_be_read_and_written_whatever_the_model(stranger):
    stranger.write_conversational_memory("hello", "user", "alice")
    assert stranger.messages("alice")
    assert not EntityMemory.objects.exists()
    assert SemanticMemory.objects.count() == 1
