"""What manage.py says where it cannot start, and what a start must not cost."""

import pytest

from tests import second_process


def test_a_data_folder_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("x")
    ended = second_process.manage("check", RESEARCHASSIST_DATA_DIR=str(tmp_path / "file" / "data"))
    assert ended.returncode == 2
    assert "cannot be made" in ended.stderr
    assert "RESEARCHASSIST_DATA_DIR" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("RESEARCHASSIST_TOOLBOX_KK", "5", "RESEARCHASSIST_TOOLBOX_KK is not a variable of ResearchAssist"),
        ("RESEARCHASSIST_TOOLBOX_K", "many", "RESEARCHASSIST_TOOLBOX_K cannot be used"),
        ("RESEARCHASSIST_TIME_ZONE", "Mars/Base", "there is no time zone 'Mars/Base'"),
        ("RESEARCHASSIST_TIME_ZONE", "Europe", "there is no time zone 'Europe'"),
        ("RESEARCHASSIST_CHUNK_OVERLAP", "1500", "must be smaller than RESEARCHASSIST_CHUNK_CHARS"),
    ],
)
def test_a_wrong_variable_is_a_sentence_that_names_it(name: str, value: str, sentence: str):
    ended = second_process.manage("check", **{name: value})
    assert ended.returncode == 2
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_first_start_makes_the_folder_and_a_key_only_its_owner_reads(tmp_path):
    folder = tmp_path / "new" / "data"
    assert second_process.manage("check", RESEARCHASSIST_DATA_DIR=str(folder)).returncode == 0
    key = folder / "secret_key"
    assert len(key.read_text()) > 50
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_memory_that_is_not_prepared_is_a_sentence_that_says_how(tmp_path):
    for name in ("serve", "ask"):
        arguments = [name, "--port", "0"] if name == "serve" else [name, "hello"]
        ended = second_process.manage(*arguments, RESEARCHASSIST_DATA_DIR=str(tmp_path))
        assert ended.returncode == 1
        assert "Prepare it with python manage.py migrate" in ended.stderr
        assert "Traceback" not in ended.stderr


def test_every_command_has_help():
    for name in ("ask", "ingest", "ingest_fixtures", "summarize_thread", "serve"):
        assert len(second_process_help(name)) > 40


def second_process_help(name: str) -> str:
    from django.core.management import load_command_class

    return str(load_command_class("researchassist", name).help)
