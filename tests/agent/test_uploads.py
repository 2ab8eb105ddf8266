"""Files between the browser and their reading"""

import pytest
from django.conf import settings

from researchassist.agent import uploads
from researchassist.errors import UnreadableFile
from researchassist.options import Options


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


def test_a_file_is_written_piece_by_piece_and_dropped():
    waiting = uploads.receive(iter([b"one ", b"two"]))
    assert uploads.path_of(waiting.id).read_bytes() == b"one two"
    uploads.drop(waiting.id)
    uploads.drop(waiting.id)
    assert not uploads.path_of(waiting.id).exists()


def test_a_disk_that_does_not_take_it_is_said(tmp_path):
    (tmp_path / "incoming").write_text("a file in the way")
    with pytest.raises(UnreadableFile, match="could not be stored"):
        uploads.receive([b"x"])


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a.pdf", "a.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\docs\\a b.pdf", "a b.pdf"),
        ("a\n\x00b\u202e.pdf", "a b .pdf"),
        ("<img src=x>.pdf", "<img src=x>.pdf"),
        ("///", "file"),
        ("x" * 500, "x" * 200),
    ],
)
def test_names_are_shown_on_one_line_without_folders(given: str, shown: str):
    assert uploads.name_of(given) == shown


def test_a_request_may_hold_a_few_files():
    assert uploads.largest_request(Options(file_megabytes=2)) == 10_000_000
