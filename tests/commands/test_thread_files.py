"""export_thread and import_thread on the terminal."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError


def ran(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture(autouse=True)
def _thread(assistant_with, memory) -> None:
    assistant_with()
    memory.write_conversational_memory("Who hunts?", "user", "t1")
    memory.rename_thread("t1", "Owls")


def test_a_conversation_goes_out_and_comes_in(memory, tmp_path: Path) -> None:
    path = tmp_path / "owls.json"
    assert ran("export_thread", "t1", "--output", str(path)) == ""
    assert json.loads(ran("export_thread", "t1"))["messages"] == json.loads(path.read_text())["messages"]
    assert "> Who hunts?" in ran("export_thread", "t1", "--format", "markdown")
    assert "in memory already; nothing was changed" in ran("import_thread", str(path))
    memory.delete_thread("t1")
    assert "“Owls” is in memory now: 1 messages, conversation t1." in ran("import_thread", str(path))
    ran("import_thread", "--copy", str(path))
    assert len(memory.threads()) == 2


def test_what_is_wrong_is_a_sentence(memory, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{}")
    for arguments in (
        ["export_thread", "nope"],
        ["export_thread", "t1", "--output", str(tmp_path / "no" / "x")],
        ["import_thread", str(path)],
        ["import_thread", str(tmp_path / "none")],
    ):
        with pytest.raises(CommandError):
            ran(*arguments)
    assert [thread.id for thread in memory.threads()] == ["t1"]
