"""Papers and files in by every way but the network; forgetting and restoring."""

import threading
import time
from datetime import timedelta

import pytest

from researchassist.agent import ingest
from researchassist.agent.ingest import ingest_bytes, ingest_file, reingest
from researchassist.agent.keep import keep_file
from researchassist.errors import UnknownDocument, UnreadableFile
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import Document, SemanticMemory
from tests.outside import pdf
from tests.paper import SENTENCE, two_column_paper
from tests.tiny_embedder import TinyEmbedder

BIBTEX = """@article{a, title={On owls}, doi={10.1234/owls}, abstract={Owls.}}
@misc{b, title={Wrens}, eprint={2401.00001}}"""


@pytest.fixture
def assistant(assistant_with):
    return assistant_with("unused")


@pytest.fixture
def notes(assistant):
    return ingest_bytes(assistant, "owls.md", b"# Owls\n\nOwls hunt at night.").document


def texts() -> set[str]:
    return {row.text for row in SemanticMemory.objects.all()}


def test_a_paper_is_kept_page_by_page_and_its_sentence_is_found_on_its_page(assistant):
    told: list[str] = []
    done = ingest_bytes(assistant, "paper.pdf", two_column_paper(), progress=told.append)
    assert (done.document.pages, done.document.state) == (12, "ready")
    assert done.document.identifiers["arxiv"] == "2402.01234v1"
    found = assistant.memory.read_knowledge_base(SENTENCE, 3)
    holding = [passage for passage in found.records if SENTENCE in passage.text]
    assert [passage.metadata["page"] for passage in holding] == [7]
    assert 'page="7"' in found.text()
    assert told[6] == "Reading page 7 of 12"


def test_no_passage_reaches_over_two_pages(assistant):
    ingest_bytes(assistant, "paper.pdf", two_column_paper())
    for row in SemanticMemory.objects.all():
        begun = {line.split()[1] for line in row.text.split("Page ")[1:] for line in [f"Page {line}"]}
        assert begun <= {str(row.metadata["page"])}


@pytest.mark.parametrize("name", ["empty.md", "scan.pdf"])
def test_a_file_without_text_is_a_failed_document_with_the_reason(assistant, name: str):
    done = ingest_bytes(assistant, name, pdf(" ") if name == "scan.pdf" else b"\xc2\xa0 \xe2\x80\x8b")
    assert (done.status, done.document.state, done.document.passages) == ("failed", "failed", 0)
    assert "there is no text in it" in done.document.warning
    assert texts() == set()


def test_a_failed_document_is_replaced_once_there_is_text(assistant, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(" ")
    assert ingest_file(assistant, path).status == "failed"
    path.write_text("Owls.")
    assert ingest_file(assistant, path).document.state == "ready"
    assert Document.objects.count() == 1


def test_a_version_without_text_leaves_the_old_one(assistant, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("Owls.")
    ingest_file(assistant, path)
    path.write_text(" ")
    done = ingest_file(assistant, path)
    assert (done.status, done.document.state) == ("failed", "ready")
    assert "What was kept of it before stays." in done.note


def test_a_refused_file_leaves_no_document(assistant):
    with pytest.raises(UnreadableFile):
        ingest_bytes(assistant, "a.pdf", b"\x89PNG\r\n")
    assert Document.objects.count() == 0


def test_an_upload_again_is_the_same_document_and_a_new_version_replaces_it(assistant, notes):
    assert ingest_bytes(assistant, "owls.md", b"# Owls\n\nOwls hunt at night.").status == "unchanged"
    changed = ingest_bytes(assistant, "owls.md", b"# Owls\n\nOwls sleep by day.")
    assert (changed.status, changed.document.id) == ("changed", notes.id)
    assert texts() == {"# Owls\n\nOwls sleep by day."}


def test_two_uploads_of_one_name_but_other_titles_are_two_documents(assistant, notes):
    other = ingest_bytes(assistant, "owls.md", b"# Wrens\n\nWrens hunt by day.")
    assert (other.status, len(assistant.memory.documents())) == ("new", 2)


@pytest.mark.parametrize("name", ["../../etc/owls.md", "C:\\papers\\owls.md", "/tmp/owls.md"])
def test_an_uploads_name_is_its_last_part(assistant, name: str):
    assert ingest_bytes(assistant, name, b"Owls.").document.source == "upload:owls.md"


def test_each_reference_of_a_list_is_a_document_of_the_work_it_is_of(assistant):
    done = ingest_bytes(assistant, "refs.bib", BIBTEX.encode())
    assert [one.document.source for one in done.entries] == ["doi:10.1234/owls", "arxiv:2401.00001"]
    assert [one.document.state for one in done.entries] == ["ready", "partial"]
    assert ingest_bytes(assistant, "refs2.bib", BIBTEX.encode() + b"\n").status == "unchanged"


def test_a_forgotten_document_is_gone_from_search_in_every_process(assistant, notes):
    other = MemoryManager(assistant.memory.options, TinyEmbedder())
    assert other.sizes()["semantic_memory"] == 1
    gone = ingest.forget_document(assistant, notes.id)
    assert gone.passages == 1
    assert (assistant.memory.documents(), texts(), other.sizes()["semantic_memory"]) == ([], set(), 0)
    with pytest.raises(UnknownDocument, match=f"no document {notes.id}"):
        assistant.memory.document(notes.id)


def test_it_comes_back_as_it_was_without_being_embedded_again(assistant, notes, tiny_embedder):
    before = assistant.memory.read_knowledge_base("owls hunt").records
    ingest.forget_document(assistant, notes.id)
    calls = tiny_embedder.calls
    assert ingest.restore_document(assistant, notes.id) == notes
    after = assistant.memory.read_knowledge_base("owls hunt").records
    assert [(p.text, p.metadata, p.score) for p in after] == [(p.text, p.metadata, p.score) for p in before]
    assert tiny_embedder.calls == calls


def test_what_was_forgotten_before_the_last_is_gone_for_good(assistant, notes):
    other = ingest_bytes(assistant, "wrens.md", b"Wrens.").document
    ingest.forget_document(assistant, notes.id)
    ingest.forget_document(assistant, other.id)
    with pytest.raises(UnknownDocument):
        ingest.restore_document(assistant, notes.id)
    assert ingest.restore_document(assistant, other.id).passages == 1


def test_after_thirty_days_nothing_comes_back(assistant, notes, time_machine):
    ingest.forget_document(assistant, notes.id)
    time_machine.move_to(notes.updated_at + timedelta(days=31))
    with pytest.raises(UnknownDocument):
        ingest.restore_document(assistant, notes.id)
    assert Document.objects.count() == 0


def test_a_forgotten_file_can_be_taken_in_again(assistant, notes):
    ingest.forget_document(assistant, notes.id)
    again = ingest_bytes(assistant, "owls.md", b"# Owls\n\nOwls hunt at night.")
    assert (again.status, again.document.id, again.document.forgotten_at) == ("new", notes.id, None)


def test_a_file_is_read_again_and_an_upload_asks_for_its_file(assistant, tmp_path, notes):
    path = tmp_path / "wrens.md"
    path.write_text("Wrens.")
    document = ingest_file(assistant, path).document
    path.write_text("Wrens sing.")
    assert reingest(assistant, document.id).status == "changed"
    with pytest.raises(UnreadableFile, match="its file is not at hand"):
        reingest(assistant, notes.id)


def test_a_search_beside_a_replacement_sees_one_version_whole(assistant):
    def version(number: int) -> bytes:
        return "\n\n".join(f"Owl {number} part {part}. " + "word " * 250 for part in range(6)).encode()

    ingest_bytes(assistant, "a.txt", version(0))
    seen, done = [], threading.Event()

    def look() -> None:
        from django.db import connection

        while not done.is_set():
            found = assistant.memory.read_knowledge_base("owl", 50).records
            seen.append(sorted({p.text.split()[1] for p in found}))
        connection.close()

    watcher = threading.Thread(target=look)
    watcher.start()
    for number in range(1, 6):
        keep_file(assistant, "upload:a.txt", str(number), [_extracted(version(number))])
    done.set()
    watcher.join()
    assert all(len(versions) == 1 for versions in seen), seen
    assert len(seen) > 3


def _extracted(data: bytes):
    from researchassist.papers import text

    return text.extract(data, "a.txt")


def test_papers_read_side_by_side_hold_only_their_own_and_block_nobody(assistant):
    """B07: while four are read, this process goes on."""
    papers = {n: pdf(*(f"marker-{n}-{page} of document {n}" for page in range(40))) for n in range(4)}
    threads = [
        threading.Thread(target=_ingest, args=(assistant, f"paper{n}.pdf", data))
        for n, data in papers.items()
    ]
    gaps, last = [], time.monotonic()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.01)
        gaps.append(time.monotonic() - last)
        last = time.monotonic()
    assert max(gaps) < 1
    for document in assistant.memory.documents():
        number = document.source[len("upload:paper")]
        rows = SemanticMemory.objects.filter(document_id=document.id)
        assert len(rows) == 40
        assert all(f"marker-{number}-" in row.text and f"document {number}" in row.text for row in rows)


def _ingest(assistant, name: str, data: bytes) -> None:
    from django.db import connection

    ingest_bytes(assistant, name, data)
    connection.close()
