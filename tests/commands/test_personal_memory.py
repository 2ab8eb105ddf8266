"""export_memory, import_memory, forget_everything"""

import json

import pytest
from django.core.management.base import CommandError

from researchassist.memory.fact_records import FactDecision, FactDraft


@pytest.fixture
def known(memory) -> None:
    memory.write_facts([FactDecision(FactDraft(text="User likes owls"))], by="person")


def test_export_import_and_forget_in_the_terminal(command, memory, known, tmp_path):
    path = tmp_path / "memory.json"
    assert "Written to" in command("export_memory", str(path))
    assert json.loads(path.read_text())["facts"][0]["text"] == "User likes owls"
    assert "Erased: " in command("forget_everything", "--confirm", "Forget Everything")
    assert memory.facts() == []
    assert "Restored, 1 facts" in command("import_memory", str(path))
    assert "0 facts added, 1 were known" in command("import_memory", str(path))
    assert json.loads(command("export_memory"))["user"] == "me"


def test_an_export_overwrites_nothing(command, known, tmp_path):
    path = tmp_path / "memory.json"
    path.write_text("mine")
    with pytest.raises(CommandError, match="cannot be written"):
        command("export_memory", str(path))
    assert path.read_text() == "mine"


@pytest.mark.parametrize("typed", ["", "yes", "forget"])
def test_nothing_is_erased_without_the_words(command, memory, known, typed: str):
    with pytest.raises(CommandError, match="Nothing was erased"):
        command("forget_everything", "--confirm", typed)
    assert len(memory.facts()) == 1


def test_the_words_are_asked_for(command, memory, known, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: "no")
    with pytest.raises(CommandError):
        command("forget_everything")
    monkeypatch.setattr("builtins.input", lambda prompt: "forget everything")
    command("forget_everything")
    assert memory.facts() == []


def test_a_missing_file_is_a_sentence(command, tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        command("import_memory", str(tmp_path / "none.json"))
