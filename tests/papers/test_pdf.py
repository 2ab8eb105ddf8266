"""PDF files, each read by a real child process (B01, B02, B04, B06)."""

import os
import stat
import time
from pathlib import Path

import pymupdf
import pytest

from researchassist.errors import NoText, UnreadableFile
from researchassist.papers import formats, pdf
from researchassist.papers.extracted import Extracted
from researchassist.papers.process import Limits
from tests import outside
from tests.paper import SENTENCE, two_column_paper


@pytest.fixture(scope="module")
def paper() -> Extracted:
    return pdf.extract(two_column_paper(), "paper.pdf", Limits())


def page(read: Extracted, number: int) -> str:
    ends = [*read.pages[1:], len(read.text)]
    return read.text[read.pages[number - 1] : ends[number - 1]]


def read(data: bytes, name: str = "a.pdf", **limits) -> Extracted:
    return formats.extract(data, name, Limits(**limits))[0]


def image() -> bytes:
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 40))
    pixels.clear_with(90)
    return pixels.tobytes("png")


def scan(*texts: str) -> bytes:
    document = pymupdf.open()
    for text in texts:
        page = document.new_page()
        if text:
            page.insert_text((72, 90), text)
        else:
            page.insert_image(page.rect, stream=image())
    return document.tobytes()


def test_every_page_of_a_real_paper_is_where_it_is(paper):
    assert len(paper.pages) == 12
    for number in range(1, 12):
        for column in (1, 2):
            assert f"Page {number} column {column} begins here." in page(paper, number)


def test_columns_are_read_one_after_the_other(paper):
    for number in range(1, 12):
        text = page(paper, number)
        assert text.index(f"Page {number} column 1") < text.index(f"Page {number} column 2")
        first, second = text.split(f"Page {number} column 2 begins here.")
        assert "right" not in first.split("column 1 begins here.")[1]
        assert "left" not in second


def test_a_sentence_of_page_sevens_second_column_is_whole_and_on_page_seven(paper):
    assert paper.page_of(paper.text.index(SENTENCE)) == 7


def test_lines_repeated_at_head_and_foot_are_left_out(paper):
    assert "A Study of Streaming Memory" not in paper.text
    assert not [line for line in paper.text.splitlines() if line.strip().isdigit()]


def test_words_divided_at_a_lines_end_are_joined_and_real_hyphens_stay(paper):
    assert "consolidation of remembered places" in page(paper, 2)
    assert "long-term storage" in page(paper, 2)


def test_captions_and_references_are_there(paper):
    assert "Figure 1: Recall over time for owls." in page(paper, 5)
    assert "[12] A. Author and B. Writer. Owls remember." in page(paper, 12)


def test_title_authors_year_and_ids_are_found_on_the_first_page(paper):
    assert paper.title == "Streaming Memory for Night Owls"
    assert paper.authors == ("Alice Nordmann", "Bo Li", "Charlie Doe")
    assert paper.published == "2024-02-12"
    assert paper.identifiers == {"arxiv": "2402.01234v1", "doi": "10.1234/owls.5678"}


def test_metadata_of_the_file_wins_where_it_says_something():
    named = read(outside.pdf("Some text\nmore text", title="On Owls", author="Alice Nordmann; Bo Li"))
    assert (named.title, named.authors) == ("On Owls", ("Alice Nordmann", "Bo Li"))
    assert read(outside.pdf("Some text", title="Microsoft Word - draft.doc")).title == "Some text"


def test_columns_written_row_by_row_are_read_column_by_column():
    left = [
        "The Halden pump was stopped",
        "on Monday because the seal",
        "had cracked for the third",
        "time since its overhaul.",
    ]
    right = [
        "The budget for the coming",
        "year is 40 000 euros and",
        "was approved by the board",
        "without any discussion.",
    ]
    document = pymupdf.open()
    sheet = document.new_page()
    for number, (one, two) in enumerate(zip(left, right, strict=True)):
        sheet.insert_text((60, 92 + 16 * number), one)
        sheet.insert_text((330, 92 + 16 * number), two)
    text = read(document.tobytes()).text
    assert "on Monday because the seal had cracked for the third time" in text
    assert "40 000 euros and was approved by the board" in text


def test_a_table_is_read_row_by_row():
    rows = "\n".join(["The table below has all results we measured for the owls of this study in full."] * 2)
    document = pymupdf.open()
    sheet = document.new_page()
    sheet.insert_text((60, 92), rows)
    for number in range(8):
        sheet.insert_text((60, 140 + 14 * number), f"Owl {number}")
        sheet.insert_text((330, 140 + 14 * number), f"{number}.5")
    assert "Owl 3 3.5" in read(document.tobytes()).text


def test_a_password_is_named(tmp_path):
    document = pymupdf.open(stream=outside.pdf("Owls"))
    locked = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="secret")
    with pytest.raises(UnreadableFile, match=r"^a\.pdf: this PDF needs a password\.$"):
        read(locked)
    open_to_read = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", permissions=0)
    assert read(open_to_read).text == "Owls"


def test_a_scan_is_named_as_one(tmp_path, monkeypatch):
    # Without Tesseract, wherever it may be installed; the child process needs no other program.
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoText, match="no text was found; its pages are images"):
        read(scan("", ""))


def test_a_partly_scanned_file_says_how_many_pages_have_no_text():
    mixed = read(scan("Cover of the report", "", "", "", ""))
    assert mixed.warning == "4 of 5 pages have no text (scanned?)."
    assert len(mixed.pages) == 5


def test_a_blank_page_is_no_text():
    with pytest.raises(NoText, match="there is no text in it"):
        read(scan(" "))


def test_scans_are_recognised_where_tesseract_is_installed(tmp_path, monkeypatch):
    tool = tmp_path / "tesseract"
    tool.write_text("#!/bin/sh\ncat > /dev/null\nprintf 'Owls remember\\nplaces.\\n'\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = read(scan("Cover", ""))
    assert page(found, 2) == "Owls remember places."
    assert found.warning == "The text of 1 scanned pages was recognised and may have errors."


def test_a_truncated_file_is_kept_with_a_visible_warning():
    whole = two_column_paper()
    found = read(whole[: int(len(whole) * 0.7)])
    assert found.warning.startswith("The file is damaged")
    assert "column 1 begins here" in found.text


@pytest.mark.parametrize("data", [b"%PDF-1.7\n" + os.urandom(500), b"%PDF-1.4\n%%EOF"])
def test_a_file_beyond_repair_is_refused(data: bytes):
    with pytest.raises(UnreadableFile, match=r"^a\.pdf: "):
        read(data)


def test_a_web_page_under_a_papers_name_is_no_pdf():
    page = b"<!DOCTYPE html><html><body><h1>Not found</h1><p>%s</p></body></html>" % (
        b"The paper has moved. " * 20
    )
    assert read(page, "paper.pdf").kind == "html"
    with pytest.raises(UnreadableFile, match="this is not a PDF file"):
        read(b"just some words", "paper.pdf")


def test_odd_characters_of_a_file_are_stored_as_what_can_be():
    document = pymupdf.open(stream=outside.pdf("answer word: saffron"))
    document.set_toc([[1, "broken", 1]])
    found = read(document.tobytes())
    assert "saffron" in found.text
    found.text.encode()


def test_pages_beyond_the_limit_are_said_to_be_missing():
    found = read(scan(*(f"This is page {number}" for number in range(1, 6))), pages=2)
    assert len(found.pages) == 2
    assert found.warning == "Only the first 2 of 5 pages were read: it has more pages than are read."


def test_text_beyond_the_limit_is_said_to_be_missing():
    document = scan(*("owls hunt at night " * 4 for _ in range(30)))
    found = read(document, characters=400)
    assert "it has more text than is read" in found.warning


def test_what_takes_too_long_is_ended_and_what_was_read_is_kept(monkeypatch):
    monkeypatch.setattr("researchassist.papers.process._ROOT", _slow_child())
    started = time.monotonic()
    found = pdf.extract(b"%PDF-", "a.pdf", Limits(seconds=2))
    assert time.monotonic() - started < 5
    assert found.text == "First page."
    assert found.warning == "Only the first 1 of 3 pages were read: reading it took too long."


def _slow_child() -> Path:
    import tempfile

    root = Path(tempfile.mkdtemp())
    package = root / "researchassist" / "papers"
    package.mkdir(parents=True)
    (root / "researchassist" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "child.py").write_text(
        "import json, sys, time\n"
        "def say(**f): sys.stdout.write(json.dumps(f) + '\\n'); sys.stdout.flush()\n"
        "say(count=3, repaired=False, metadata={})\n"
        "say(page=1, paragraphs=[['First page.']], head=[], foot=[])\n"
        "time.sleep(60)\n"
    )
    return root


def test_what_takes_too_much_memory_is_ended():
    with pytest.raises(UnreadableFile, match="took too much memory"):
        read(_bomb(), memory_mb=400, seconds=60)


def _bomb() -> bytes:
    """A small file whose page content unpacks to a gigabyte."""
    document = pymupdf.open()
    sheet = document.new_page()
    sheet.insert_text((72, 72), "x")
    xref = sheet.get_contents()[0]
    document.update_stream(
        xref, b"BT /helv 11 Tf 72 72 Td (" + b"owls " * 60_000_000 + b") Tj ET", compress=True
    )
    return document.tobytes(deflate=True)


def test_the_child_knows_no_secret(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    tool = tmp_path / "tesseract"
    tool.write_text("#!/bin/sh\ncat > /dev/null\nenv\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    text = read(scan("Cover", "")).text
    assert "PATH=" in text
    assert "sk-secret" not in text
