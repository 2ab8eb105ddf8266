import pytest

from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import Document, SemanticMemory
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from tests.tiny_embedder import TinyEmbedder


def draft(source: str = "owls.md", **fields) -> DocumentDraft:
    return DocumentDraft(
        **{"source": source, "kind": "markdown", "title": "On owls", "file_hash": "1"} | fields
    )


def passages(*texts: str) -> list[PassageDraft]:
    return [PassageDraft(text=text, start=0, end=len(text)) for text in texts]


def found(memory: MemoryManager) -> set[str]:
    return {passage.text for passage in memory.read_knowledge_base("owl", 99).records}


def test_a_passage_knows_its_source_title_place_and_time(memory):
    memory.write_document(draft(), passages("Owls hunt", "Owls sleep"))
    metadata = memory.read_knowledge_base("Owls sleep", 1).records[0].metadata
    assert metadata.pop("timestamp")
    assert metadata == {
        "source": "owls.md", "title": "On owls", "chunk_id": 1, "num_chunks": 2, "start": 0, "end": 10
    }  # fmt: skip


def test_a_new_version_replaces_the_old_and_keeps_the_documents_id(memory):
    first = memory.write_document(draft(), passages("Owls hunt", "Owls sleep"))
    second = memory.write_document(draft(file_hash="2"), passages("Owls sleep", "Owls nest"))
    assert second.id == first.id
    assert found(memory) == {"Owls sleep", "Owls nest"}
    assert [(d.file_hash, d.passages) for d in memory.documents()] == [("2", 2)]


def test_another_process_sees_the_new_version_alone(memory):
    other = MemoryManager(memory.options, TinyEmbedder())
    memory.write_document(draft(), passages("Owls hunt"))
    assert found(other) == {"Owls hunt"}
    memory.write_document(draft(), passages("Owls nest"))
    assert found(other) == {"Owls nest"}


def test_a_replacement_that_fails_midway_leaves_the_old_version(memory, monkeypatch):
    memory.write_document(draft(), passages("Owls hunt"))
    monkeypatch.setattr(memory._knowledge_base.store, "save", _broken)
    with pytest.raises(OSError, match="disk is full"):
        memory.write_document(draft(file_hash="2"), passages("Owls nest"))
    assert found(memory) == {"Owls hunt"}
    assert memory.documents()[0].file_hash == "1"


def test_a_replacement_whose_embedding_fails_leaves_the_old_version(memory, tiny_embedder):
    memory.write_document(draft(), passages("Owls hunt"))
    tiny_embedder.embed = _broken
    with pytest.raises(OSError, match="disk is full"):
        memory.write_document(draft(file_hash="2"), passages("Owls nest"))
    del tiny_embedder.embed
    assert found(memory) == {"Owls hunt"}


def _broken(*_: object) -> None:
    raise OSError("The disk is full.")


def test_a_passage_twice_in_one_document_is_one_row(memory):
    assert memory.write_document(draft(), passages("Owls", "Rain", "Owls")).passages == 2


def test_the_same_passage_in_two_documents_belongs_to_both(memory):
    memory.write_document(draft("a.md"), passages("Owls"))
    memory.write_document(draft("b.md"), passages("Owls"))
    assert [d.passages for d in memory.documents()] == [1, 1]


def test_a_deleted_document_takes_its_passages_with_it(memory):
    kept = memory.write_document(draft("a.md"), passages("Owls"))
    gone = memory.write_document(draft("b.md"), passages("Owls at night"))
    memory.delete_document(gone.id)
    assert [d.id for d in memory.documents()] == [kept.id]
    assert found(memory) == {"Owls"}
    assert SemanticMemory.objects.count() == Document.objects.count() == 1


def test_documents_are_listed_by_source_and_by_sample(memory):
    memory.write_document(draft("a.md", sample=True), passages("a"))
    memory.write_document(draft("b.md"), passages("b"))
    assert [d.source for d in memory.documents(source="b.md")] == ["b.md"]
    assert [d.source for d in memory.documents(sample=True)] == ["a.md"]


def test_a_document_that_lost_something_is_partial_and_says_so(memory):
    kept = memory.write_document(draft(warning="Page 2 is an image."), passages("a"))
    assert (kept.state, kept.warning) == ("partial", "Page 2 is an image.")


def test_a_source_or_title_no_database_takes_is_stored_as_what_can_be(memory):
    kept = memory.write_document(draft("caf\udce9.md", title="caf\udce9"), passages("a"))
    assert (kept.source, kept.title) == ("caf\ufffd.md", "caf\ufffd")
    memory.read_knowledge_base("a").text().encode()
