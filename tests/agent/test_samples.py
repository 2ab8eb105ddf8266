import shutil
from pathlib import Path

import pytest
from django.conf import settings

from researchassist.agent.ingest import ingest_file
from researchassist.agent.samples import ingest_samples, remove_samples, were_ingested
from researchassist.errors import UnreadableFile

FIXTURES = Path(settings.BASE_DIR) / "fixtures"


@pytest.fixture
def assistant(assistant_with):
    return assistant_with("unused")


def test_samples_go_in_and_are_marked(assistant, memory):
    steps = list(ingest_samples(assistant, FIXTURES))
    assert [step.name for step in steps] == ["heron-notes.md", "kestrel-notes.md", "seed-01"]
    assert {d.source for d in memory.documents(sample=True)} == {"heron-notes.md", "kestrel-notes.md"}
    assert memory.thread("seed-01").sample
    assert len(memory.messages("seed-01")) == 12


def test_again_nothing_changes(assistant, memory):
    list(ingest_samples(assistant, FIXTURES))
    before = memory.sizes()
    assert all("unchanged" in step.outcome for step in ingest_samples(assistant, FIXTURES))
    assert memory.sizes() == before
    assert len(memory.messages("seed-01")) == 12


def test_out_again_takes_the_samples_alone(assistant, memory, tmp_path):
    list(ingest_samples(assistant, FIXTURES))
    own = tmp_path / "mine.md"
    own.write_text("Owls")
    ingest_file(assistant, own)
    memory.write_conversational_memory("hello", "user", "alice")
    assert len(list(remove_samples(assistant))) == 3
    assert [d.title for d in memory.documents()] == ["Owls"]
    assert [t.id for t in memory.threads()] == ["alice"]
    assert list(remove_samples(assistant)) == []


def test_that_they_were_in_is_remembered_after_they_are_out(assistant):
    assert not were_ingested(assistant)
    list(ingest_samples(assistant, FIXTURES))
    list(remove_samples(assistant))
    assert were_ingested(assistant)


def test_a_folder_without_them_is_told(assistant, tmp_path):
    shutil.copytree(FIXTURES / "kb", tmp_path / "kb")
    with pytest.raises(UnreadableFile, match=r"seed-thread\.json"):
        list(ingest_samples(assistant, tmp_path))
    assert not were_ingested(assistant)
