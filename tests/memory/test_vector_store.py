import threading

import numpy as np
import pytest
from django.db import IntegrityError, connections, transaction

from researchassist.errors import EmbeddingError
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import SemanticMemory
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from researchassist.memory.stores.vector_store import VectorStore
from researchassist.memory.vectors import from_bytes, to_bytes
from tests import second_process
from tests.tiny_embedder import TinyEmbedder


@pytest.fixture
def other(memory) -> MemoryManager:
    """Memory as another process would have it: the same database, matrices of its own."""
    return MemoryManager(memory.options, TinyEmbedder())


def texts(memory: MemoryManager, query: str, k: int = 9) -> list[str]:
    return [passage.text for passage in memory.read_knowledge_base(query, k).records]


def keep(memory: MemoryManager, *passages: str) -> None:
    for text in passages:
        memory.write_knowledge_base(text, {"source": "notes.md"})


def test_the_nearest_passage_comes_first(memory):
    keep(memory, "Owls hunt at night", "Ledgers cut errors", "Rain in the hills")
    assert texts(memory, "ledgers and errors")[0] == "Ledgers cut errors"


def test_a_row_holds_unit_float32_its_model_and_a_hash(memory):
    keep(memory, "Owls hunt at night")
    row = SemanticMemory.objects.get()
    assert np.linalg.norm(from_bytes([bytes(row.embedding)])[0]) == pytest.approx(1, abs=1e-6)
    assert (row.embedding_model, len(row.content_hash)) == ("tiny", 64)


def test_a_filter_is_applied_before_ranking(memory):
    from django.db.models import Q

    for number in range(20):
        memory.write_knowledge_base(f"owl {number}", {"source": "a.md"})
    memory.write_knowledge_base("rain", {"source": "b.md"})
    found = memory.read_knowledge_base("owl", 3, where=Q(metadata__source="b.md"))
    assert [passage.text for passage in found.records] == ["rain"]


def test_an_empty_store_says_so(memory):
    assert "No documents in memory." in memory.read_knowledge_base("owl").text()


def test_another_process_insert_is_seen_at_the_next_look(memory, other):
    keep(memory, "Owls hunt at night")
    assert len(texts(memory, "owl")) == 1
    keep(other, "Owls sleep by day")
    assert len(texts(memory, "owl")) == 2


def test_another_process_update_is_seen_at_the_next_look(memory, other):
    memory.write_entity("Marlow", "PERSON", "")
    assert memory.read_entity("ledgers").records[0].score < 0.5
    other.write_entity("Marlow", "PERSON", "ledgers ledgers ledgers")
    assert memory.read_entity("ledgers").records[0].score > 0.5


def test_another_process_delete_is_seen_at_the_next_look(memory, other):
    keep(memory, "Owls hunt at night", "Rain in the hills")
    assert len(texts(other, "owl")) == 2
    memory._knowledge_base.store.delete([SemanticMemory.objects.get(text__startswith="Owls").pk])
    assert texts(other, "owl") == ["Rain in the hills"]
    assert other.sizes()["semantic_memory"] == 1


def test_only_what_is_new_is_read(memory, other, django_assert_num_queries):
    keep(memory, "Owls hunt at night")
    store = other._knowledge_base.store
    store.size()
    with django_assert_num_queries(1):
        store.size()
    keep(memory, "Rain in the hills")
    with django_assert_num_queries(3):
        assert store.size() == 2


def test_a_write_that_is_rolled_back_is_never_found(memory):
    keep(memory, "Owls hunt at night")
    assert len(texts(memory, "owl")) == 1
    with transaction.atomic():
        keep(memory, "Owls sleep by day")
        transaction.set_rollback(True)
    keep(memory, "Owls nest in trees")
    assert sorted(texts(memory, "owl")) == ["Owls hunt at night", "Owls nest in trees"]


def test_a_search_within_a_transaction_that_is_rolled_back_leaves_no_phantom(memory, other):
    keep(memory, "Owls hunt at night")
    assert len(texts(memory, "owl")) == 1
    with transaction.atomic():
        keep(memory, "Owls sleep by day")
        memory._knowledge_base.store.delete([SemanticMemory.objects.get(text__startswith="Owls hunt").pk])
        assert texts(memory, "owl") == ["Owls sleep by day"]
        transaction.set_rollback(True)
    assert texts(memory, "owl") == ["Owls hunt at night"]
    keep(other, "Owls nest in trees")
    assert sorted(texts(memory, "owl")) == ["Owls hunt at night", "Owls nest in trees"]


def test_a_database_that_was_replaced_is_read_anew(memory, other):
    keep(memory, "one", "two", "three")
    assert other.sizes()["semantic_memory"] == 3
    from researchassist.memory.models import StoreRevision

    SemanticMemory.objects.exclude(text="one").delete()
    SemanticMemory.objects.update(revision=1)
    StoreRevision.objects.update(revision=1)
    assert other.sizes()["semantic_memory"] == 1


@pytest.mark.django_db(transaction=True)
def test_a_second_process_insert_is_found_without_a_restart(memory):
    keep(memory, "Rain in the hills")
    assert len(texts(memory, "owl")) == 1
    database = connections["default"].settings_dict["NAME"]
    second_process.run("memory.write_knowledge_base('Owls hunt at night', {})", database)
    assert texts(memory, "owl")[0] == "Owls hunt at night"


@pytest.mark.django_db(transaction=True)
def test_writers_and_searchers_at_once_miss_and_break_nothing(memory):
    problems: list[BaseException] = []

    def guarded(work) -> threading.Thread:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001  (asserted on)
                problems.append(error)
            finally:
                connections.close_all()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def write(name: str):
        return lambda: keep(memory, *(f"owl {name} {number}" for number in range(15)))

    def search() -> None:
        for _ in range(30):
            texts(memory, "owl")

    for thread in [*(guarded(write(name)) for name in "abcd"), guarded(search), guarded(search)]:
        thread.join()
    assert problems == []
    assert len(texts(memory, "owl", k=999)) == 60


def test_a_vector_of_another_length_is_refused_not_mixed_in(memory):
    keep(memory, "Owls hunt at night")
    store = VectorStore(SemanticMemory)
    store.size()
    row = SemanticMemory.objects.get()
    with transaction.atomic():
        row.embedding = row.embedding[:8]
        store.save([row])
    with pytest.raises(EmbeddingError):
        store.size()


def test_an_embedding_that_is_not_finite_keeps_nothing(memory, tiny_embedder):
    tiny_embedder._one = lambda text: np.full(64, np.nan)
    with pytest.raises(EmbeddingError):
        keep(memory, "Owls hunt at night")
    assert not SemanticMemory.objects.exists()


def test_the_same_passage_is_kept_once(memory, other):
    first = memory.write_knowledge_base("Owls hunt at night", {"source": "a.md"})
    again = other.write_knowledge_base("Owls hunt at night", {"source": "b.md"})
    assert again == first
    assert SemanticMemory.objects.count() == 1


def test_the_table_itself_refuses_a_second_copy(memory):
    keep(memory, "Owls hunt at night")
    copy = SemanticMemory.objects.get()
    copy.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_the_same_passage_written_at_once_is_kept_once_and_nobody_fails(memory, tiny_embedder):
    barrier, kept = threading.Barrier(4), []
    embed = tiny_embedder.embed

    def embed_together(texts):
        barrier.wait(10)
        return embed(texts)

    tiny_embedder.embed = embed_together

    def write() -> None:
        try:
            kept.append(memory.write_knowledge_base("Owls hunt at night", {}).id)
        except IntegrityError as error:
            kept.append(error)
        connections.close_all()

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 4
    assert len(set(kept)) == 1


def test_the_same_text_is_never_embedded_twice(memory, tiny_embedder):
    store = memory._knowledge_base.store
    keep(memory, "Owls hunt at night")
    before = tiny_embedder.calls
    rows = [SemanticMemory(text=text) for text in ("Owls hunt at night", "Rain", "Rain", "Owls")]
    store.embed(rows, tiny_embedder)
    assert tiny_embedder.calls - before == 2
    assert [row.embedding for row in rows] == [to_bytes(tiny_embedder._one_unit(row.text)) for row in rows]


def test_a_vector_of_another_model_is_not_taken_for_the_same_text(memory):
    keep(memory, "Owls hunt at night")
    another = TinyEmbedder("another")
    memory._knowledge_base.store.embed([SemanticMemory(text="Owls hunt at night")], another)
    assert another.calls == 1


def test_texts_go_to_the_model_by_length_across_documents(memory, tiny_embedder):
    given, embed = [], tiny_embedder.embed
    tiny_embedder.embed = lambda texts: given.extend(map(len, texts)) or embed(texts)
    drafts = [
        (
            DocumentDraft(source=name, kind="markdown", title=name, file_hash=name),
            [PassageDraft(text=name * length, start=0, end=length) for length in lengths],
        )
        for name, lengths in (("a", (900, 3, 40)), ("b", (500, 700, 1)))
    ]
    memory.write_documents(drafts)
    assert given == sorted(given)
    assert len(given) == 6


def test_vectors_that_are_no_unit_vectors_are_never_found(memory):
    """B14: rows that some other program wrote."""
    keep(memory, "Owls", "Rain", "Hills", "Night")
    store = memory._knowledge_base.store
    rows = list(SemanticMemory.objects.order_by("pk"))
    bad = ([0.0] * 64, [np.nan] * 64, [np.inf] + [0.0] * 63)
    for row, vector in zip(rows[1:], bad, strict=True):
        row.embedding = to_bytes(np.array(vector, dtype=np.float32))
    store.save(rows[1:])
    found = memory.read_knowledge_base("Owls", 9).records
    assert [(passage.text, np.isfinite(passage.score)) for passage in found] == [("Owls", True)]
    assert memory.sizes()["semantic_memory"] == 1
    assert memory.read_knowledge_base("   ").records == ()


def test_forty_thousand_passages_are_deleted_whole_in_a_few_statements(
    memory, other, tiny_embedder, django_assert_max_num_queries
):
    vector, store = to_bytes(tiny_embedder._one_unit("owl")), memory._knowledge_base.store
    document = memory.write_document(
        DocumentDraft(source="big.md", kind="markdown", title="Big", file_hash="1"), []
    )
    rows = [
        SemanticMemory(
            text=f"owl {n}", content_hash=str(n), embedding=vector, embedding_model="tiny",
            document_id=document.id,
        )
        for n in range(40_000)
    ]  # fmt: skip
    store.save(rows)
    keep(memory, "rain")
    assert other.sizes()["semantic_memory"] == 40_001
    with django_assert_max_num_queries(15):
        memory.delete_document(document.id)
    assert SemanticMemory.objects.count() == 1
    assert memory.sizes()["semantic_memory"] == other.sizes()["semantic_memory"] == 1
    assert texts(other, "owl") == ["rain"]
