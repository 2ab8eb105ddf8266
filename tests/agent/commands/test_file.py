"""Files that were added"""

import threading
from pathlib import Path

import pytest

from researchassist.errors import CommandRefused, UnreadableFile
from tests.outside import pdf

BIB = "@article{a, title={Owls}, author={Ada Nobody}, abstract={Owls sleep.}}\n@article{b, title={Larks}}\n"


def waiting(folder: Path, data: bytes) -> Path:
    path = folder / "waiting"
    path.write_bytes(data)
    return path


def test_a_file_becomes_a_card_with_title_authors_pages_and_passages(give, tmp_path):
    data = pdf("Osprey one.", "Osprey two.", title="Osprey Indexes", author="Ada Nobody")
    told: list[str] = []
    result = give("file", "paper.pdf", file=waiting(tmp_path, data), tell=told.append)
    (card,) = result.cards
    assert card.title == "Osprey Indexes"
    assert {"Ada Nobody", "2 pages", "2 passages"} <= set(card.facts)
    assert "Reading page 2 of 2" in told


def test_the_same_file_again_is_in_memory_already(give, memory, tmp_path):
    data = pdf("Osprey one.")
    give("file", "one.pdf", file=waiting(tmp_path, data))
    again = give("file", "two.pdf", file=waiting(tmp_path, data))
    assert "already in memory" in again.text
    assert len(memory.documents()) == 1


def test_the_same_bytes_at_once_are_one_document(give, memory, tmp_path):
    path = waiting(tmp_path, pdf("Osprey one.", "Osprey two."))
    threads = [
        threading.Thread(target=give, args=("file", f"{n}.pdf"), kwargs={"file": path}) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(memory.documents()) == 1


def test_a_reference_list_shows_each_work(give, tmp_path):
    result = give("file", "owls.bib", file=waiting(tmp_path, BIB.encode()))
    assert [row.title for row in result.rows] == ["Owls", "Larks"]
    assert result.text == "A list of 2 works: 2 kept."


def test_a_scan_is_kept_as_not_readable_and_says_why(give, tmp_path):
    import pymupdf

    document = pymupdf.open()
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 80, 80))
    document.new_page().insert_image((50, 50, 300, 300), pixmap=picture)
    (card,) = give("file", "scan.pdf", file=waiting(tmp_path, document.tobytes())).cards
    assert "not readable" in card.facts
    assert "scan" in card.warning.lower()


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("x.pdf", b"PK\x03\x04zip", "ZIP"),
        ("x.pdf", b"hello", "not a PDF"),
        ("x.txt", b"\x7fELF\x00", "program"),
    ],
)
def test_wrong_types_are_refused_by_content(give, tmp_path, name: str, data: bytes, sentence: str):
    with pytest.raises(UnreadableFile, match=sentence):
        give("file", name, file=waiting(tmp_path, data))


def test_a_password_is_named(give, tmp_path):
    import pymupdf

    document = pymupdf.open()
    document.new_page()
    data = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")
    with pytest.raises(UnreadableFile, match="needs a password"):
        give("file", "locked.pdf", file=waiting(tmp_path, data))


def test_a_file_that_is_gone_is_said(give, tmp_path):
    with pytest.raises(CommandRefused, match="no longer at hand"):
        give("file", "x.pdf", file=tmp_path / "gone")
