import pytest

from researchassist.errors import UnreadableFile
from researchassist.papers import text
from researchassist.papers.extracted import Extracted


def read(data: bytes, name: str = "notes.md") -> Extracted:
    return text.extract(data, name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_with_and_without_a_mark_is_read(encoding: str):
    file = read("# Züge 日本 👩‍👩‍👧".encode(encoding))
    assert (file.text, file.warning) == ("# Züge 日本 👩‍👩‍👧", "")


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_both_orders_of_utf16_are_read(mark: bytes):
    order = "utf-16-le" if mark == b"\xff\xfe" else "utf-16-be"
    assert read(mark + "Züge".encode(order)).text == "Züge"


def test_windows_text_is_read_and_said_to_be_a_guess():
    file = read("Größe, Straße, „Zitat“ und 5 €".encode("cp1252"))
    assert file.text == "Größe, Straße, „Zitat“ und 5 €"
    assert "Windows-1252" in file.warning


def test_one_bad_byte_does_not_spoil_the_rest():
    file = read("Züge und Straßen, ".encode() * 50 + b"\xff" + "Übermut".encode())
    assert "Züge und Straßen" in file.text
    assert file.text.endswith("\ufffdÜbermut")
    assert "replaced" in file.warning


def test_one_accented_letter_is_enough_to_tell_windows_1252():
    file = read("A short note from the café by the lake.".encode("cp1252"))
    assert "café by" in file.text
    assert "Windows-1252" in file.warning


@pytest.mark.parametrize("data", [b"a\r\nb\r\nc", b"a\rb\rc", b"a\nb\r\nc"])
def test_all_line_ends_become_one(data: bytes):
    assert read(data).text == "a\nb\nc"


def test_escape_codes_and_control_characters_go():
    assert read(b"\x1b[31mred\x1b[0m and \x07 bell\x1b").text == "red and  bell"


def test_letters_are_composed():
    assert read("e\u0301".encode()).text == "é"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\t ",
        b"\xef\xbb\xbf",
        "\u200b\u00ad".encode(),
        b"---\ntitle: Owls\n---\n",
        b"---\ntitle: Owls\n---",
        b"---\n---\n",
        b"---\r\ntitle: Owls\r\n---\r\n  \r\n",
    ],
)
def test_a_file_without_text_is_refused(data: bytes):
    with pytest.raises(UnreadableFile, match="there is no text in it"):
        read(data)


@pytest.mark.parametrize("data", [b"%PDF-1.7\x00\x01", b"\x89PNG\r\n\x1a\n\x00\x00", b"a\x00b\x00"])
def test_a_file_that_is_no_text_is_refused(data: bytes):
    with pytest.raises(UnreadableFile, match=r"notes\.md: this is not a text file"):
        read(data)


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Owls at night\n\ntext", "Owls at night"),
        ("intro\n\n## **Owls**\n", "Owls"),
        ("Owls, a study\nby Alice", "Owls, a study"),
        ("---\ntitle: x\n---\n# Owls\n", "x"),
        ("o" * 300, "o" * 120),
        ("***\n", "notes"),
    ],
)
def test_the_title_is_the_front_matters_or_first_heading_or_line_or_name(content: str, title: str):
    assert read(content.encode()).title == title


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.md", "markdown"), ("a.MD", "markdown"), ("a.markdown", "markdown"), ("a.txt", "text")],
)
def test_the_name_says_the_kind(name: str, kind: str):
    assert read(b"Owls", name).kind == kind


def test_front_matter_names_authors_and_date():
    file = read(
        b"---\ntitle: Owls\nauthors: Alice Nordmann, Bo Li\ndate: 2024-05-01\ndoi: 10.1/x\n---\nText."
    )
    assert (file.title, file.authors, file.published) == ("Owls", ("Alice Nordmann", "Bo Li"), "2024-05-01")
    assert file.text.startswith("---\ntitle: Owls")


def test_ligatures_are_taken_apart_and_nothing_lone_is_left():
    assert text.clean("e\ufb03cient \ud83d\ude00 \ud800 \x00\ufffe x\u00b2") == "efficient 😀 \ufffd  x²"
