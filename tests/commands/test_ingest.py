import pytest
from django.core.management.base import CommandError

from researchassist.memory.models import SemanticMemory
from tests import second_process


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "owls.md").write_text("# Owls\n\nhunt at night")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "wrens.txt").write_text("Wrens hunt by day")
    (tmp_path / ".hidden.md").write_text("secret")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\x00")
    return tmp_path


def test_a_folder_gives_its_files_but_the_hidden_ones(command, folder, memory):
    text = command("ingest", str(folder))
    assert {d.title for d in memory.documents()} == {"Owls", "Wrens hunt by day"}
    assert "2 new" in text


def test_again_all_is_unchanged(command, folder):
    command("ingest", str(folder))
    assert "2 unchanged" in command("ingest", str(folder))


def test_a_changed_file_says_so(command, folder):
    command("ingest", str(folder))
    (folder / "owls.md").write_text("# Owls\n\nsleep by day")
    text = command("ingest", str(folder), str(folder / "owls.md"))
    assert "1 changed" in text
    assert "1 unchanged" in text


def test_files_that_cannot_be_read_do_not_cost_the_others(command, folder, memory, capsys):
    (folder / "empty.md").write_text(" \n")
    (folder / "binary.txt").write_bytes(b"\x00\x01")
    with pytest.raises(SystemExit) as ended:
        command("ingest", str(folder))
    assert ended.value.code == 1
    assert sorted(d.state for d in memory.documents()) == ["failed", "ready", "ready"]


def test_a_missing_path_is_told_and_nothing_kept(command, folder):
    with pytest.raises(CommandError, match="there is no such file or folder"):
        command("ingest", str(folder), str(folder / "missing.md"))
    assert not SemanticMemory.objects.exists()


def test_a_folder_without_text_is_told(command, tmp_path):
    with pytest.raises(CommandError, match="No file that can be read was found there"):
        command("ingest", str(tmp_path))


def test_a_name_that_is_no_text_is_no_obstacle(command, tmp_path, memory):
    (tmp_path / "caf\udce9.md").write_text("Owls")
    assert "1 new" in command("ingest", str(tmp_path))
    assert len(memory.documents()) == 1


def test_from_a_shell_the_exit_code_and_sentences_are_right(folder, tmp_path_factory):
    data = str(tmp_path_factory.mktemp("data"))
    options = {"RESEARCHASSIST_DATA_DIR": data, "RESEARCHASSIST_EMBEDDING_MODEL": "packaged"}
    assert second_process.manage("migrate", "--verbosity", "0", **options).returncode == 0
    (folder / "empty.md").write_text("")
    (folder / "caf\udce9.md").write_text("Owls in a café")
    failed = second_process.manage("ingest", str(folder), **options)
    assert failed.returncode == 1, failed.stderr
    assert "there is no text in it" in failed.stdout
    assert "3 new" in failed.stdout
    assert "Traceback" not in failed.stderr
    (folder / "empty.md").unlink()
    again = second_process.manage("ingest", str(folder), **options)
    assert (again.returncode, "3 unchanged" in again.stdout) == (0, True)
