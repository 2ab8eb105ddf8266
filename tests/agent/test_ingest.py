import pytest

from researchassist.agent.ingest import ingest_file, ingest_text
from researchassist.errors import UnreadableFile
from researchassist.memory.models import SemanticMemory


@pytest.fixture
def assistant(assistant_with):
    return assistant_with("unused")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "owls.md"
    path.write_text("# Owls\n\nOwls hunt at night.\n")
    return path


def test_a_new_file_is_kept_with_its_title_and_path(assistant, file):
    done = ingest_file(assistant, file)
    assert (done.status, done.document.title, done.document.source) == ("new", "Owls", str(file.resolve()))
    assert done.document.kind == "markdown"


def test_an_unchanged_file_is_not_embedded_again(assistant, file, tiny_embedder):
    ingest_file(assistant, file)
    calls = tiny_embedder.calls
    assert ingest_file(assistant, file).status == "unchanged"
    assert tiny_embedder.calls == calls


def test_a_changed_file_replaces_its_old_passages(assistant, file):
    ingest_file(assistant, file)
    file.write_text("# Owls\n\nOwls sleep by day.\n")
    assert ingest_file(assistant, file).status == "changed"
    assert [row.text for row in SemanticMemory.objects.all()] == ["# Owls\n\nOwls sleep by day."]


def test_a_changed_file_that_cannot_be_read_leaves_the_old_passages(assistant, file):
    ingest_file(assistant, file)
    file.write_bytes(b"\x00\x01")
    with pytest.raises(UnreadableFile):
        ingest_file(assistant, file)
    assert SemanticMemory.objects.count() == 1


def test_the_same_bytes_under_another_name_are_the_same_document(assistant, file):
    copy = file.with_name("copy.md")
    copy.write_bytes(file.read_bytes())
    assert [ingest_file(assistant, path).status for path in (file, copy)] == ["new", "unchanged"]
    assert len(assistant.memory.documents()) == 1


def test_passages_stand_at_their_offsets_with_index_and_count(assistant, file):
    text = "# Owls\n\n" + " ".join(f"Owl {number} hunts at night." for number in range(300))
    file.write_text(text)
    done = ingest_file(assistant, file)
    rows = sorted((row.metadata for row in SemanticMemory.objects.all()), key=lambda m: m["chunk_id"])
    assert [m["chunk_id"] for m in rows] == list(range(done.document.passages))
    assert all(m["num_chunks"] == done.document.passages > 3 for m in rows)
    assert all(text[r.metadata["start"] : r.metadata["end"]] == r.text for r in SemanticMemory.objects.all())


def test_a_name_no_database_takes_is_no_obstacle(assistant, tmp_path):
    path = tmp_path / "caf\udce9.md"
    path.write_text("Owls")
    assert [ingest_file(assistant, path).status for _ in range(2)] == ["new", "unchanged"]


@pytest.mark.parametrize("name", ["missing.md", "."])
def test_what_is_no_file_is_told(assistant, tmp_path, name: str):
    with pytest.raises(UnreadableFile):
        ingest_file(assistant, tmp_path / name)


def test_a_pasted_text_is_kept_once(assistant):
    first, second = ingest_text(assistant, "# Owls\nhunt"), ingest_text(assistant, "# Owls\r\nhunt")
    assert (first.status, second.status) == ("new", "unchanged")
    assert first.document.title == "Owls"


def test_a_pasted_text_of_odd_characters_is_kept(assistant):
    assert ingest_text(assistant, "Owls \ud83d\ude00\ud800 \x00 hunt").document.passages == 1


@pytest.mark.parametrize("content", ["", " \n", "\x00"])
def test_a_pasted_text_without_text_is_told(assistant, content: str):
    with pytest.raises(UnreadableFile):
        ingest_text(assistant, content)
