"""Every format that is read, told apart by content and not by name (B02, B08)."""

import gzip

import pytest

from researchassist.errors import NoText, UnreadableFile
from researchassist.papers import formats, references
from researchassist.papers.process import Limits

PARAGRAPH = "Owls nest in hollow trees and return every year to the same place to raise their young. "
PAGE = f"""<!DOCTYPE html><html><head><title>Owl nests</title><meta name="author" content="Ann Lee">
<meta name="date" content="2023-05-01"></head><body><nav><a href="/">Home</a> <a href="/x">Imprint</a></nav>
<article><h1>Owl nests</h1><p>{PARAGRAPH * 3}</p><h2>Lining</h2><p>{"Nests are lined with moss. " * 8}</p>
</article><script>alert("menu")</script><footer>All rights reserved by the owl society</footer></body>
</html>"""
BIBTEX = r"""
@comment{kept by hand}
@article{smith2020, title={A {Great} Paper on {\"u}ber-owls}, author={Smith, Jane and Bo Li}, year=2020,
  journal={Journal of Owls}, doi={10.1234/ABC.5}, abstract={Owls are great at remembering.}}
@misc{memgpt, title="MemGPT", author={Charles Packer}, eprint={2310.08560v2}, date={2023-10}}
@article{broken, title={No end
"""
RIS = """TY  - JOUR
AU  - Doe, Alice
TI  - On pumps
PY  - 2019/03/01
JO  - Pumps
AB  - Seals crack.
DO  - 10.5555/xyz
ER  -

TY - BOOK
T1 - Seals
A1 - Lee, Bo
"""


def read(data: bytes | str, name: str = "file", **limits):
    return formats.extract(data.encode() if isinstance(data, str) else data, name, Limits(**limits))


def test_a_web_page_is_its_main_text_with_headings():
    page = read(PAGE, "page.html")[0]
    assert (page.kind, page.title, page.authors, page.published) == (
        "html",
        "Owl nests",
        ("Ann Lee",),
        "2023-05-01",
    )
    assert "# Owl nests" in page.text
    assert "## Lining" in page.text
    assert not [word for word in ("Imprint", "alert", "All rights") if word in page.text]


def test_a_web_page_without_text_is_told():
    with pytest.raises(NoText, match=r"page\.html: there is no text in it"):
        read("<html><head><title>Owls</title></head><body><script>x()</script></body></html>", "page.html")


def test_each_bibtex_entry_is_a_document_with_its_metadata_and_abstract():
    smith, memgpt = read(BIBTEX, "refs.bib")
    assert (smith.key, smith.title, smith.published) == ("smith2020", "A Great Paper on über-owls", "2020")
    assert smith.authors == ("Jane Smith", "Bo Li")
    assert smith.identifiers == {"doi": "10.1234/abc.5"}
    assert smith.text.split("\n\n") == [
        "A Great Paper on über-owls",
        "Jane Smith, Bo Li",
        "Journal of Owls, 2020",
        "Owls are great at remembering.",
    ]
    assert memgpt.identifiers == {"arxiv": "2310.08560"}
    assert memgpt.warning == "Only the reference: the entry has no abstract."


def test_entries_that_cannot_be_read_are_counted():
    assert read(BIBTEX, "refs.bib")[0].warning == "1 entries of the list cannot be read."


def test_each_ris_entry_is_a_document_also_one_without_an_end():
    pumps, seals = read(RIS, "refs.txt")
    assert (pumps.title, pumps.authors, pumps.published) == ("On pumps", ("Alice Doe",), "2019")
    assert pumps.text.endswith("Pumps, 2019\n\nSeals crack.")
    assert (seals.title, seals.authors) == ("Seals", ("Bo Lee",))


@pytest.mark.parametrize(("data", "name"), [("@article{x, title", "a.bib"), ("owls", "a.bib")])
def test_a_reference_list_without_references_is_told(data: str, name: str):
    with pytest.raises(UnreadableFile, match=r"a\.bib: "):
        read(data, name)


def test_a_line_of_the_arxiv_dump_is_title_subjects_and_abstract():
    line = {
        "id": "hep-th/9901001",
        "title": "On  \n owls",
        "authors": "A. Lee and B. Li",
        "categories": "cs.AI cs.CL",
        "abstract": "  We\n show. ",
        "update_date": "2020-01-02",
        "versions": [{"version": "v1"}, {"version": "v3"}],
    }
    paper = references.arxiv_metadata(line)
    assert paper.text == "On owls\n\ncs.AI cs.CL\n\nWe\n show."
    assert (paper.key, paper.version, paper.authors) == ("hep-th/9901001", "v3", ("A. Lee", "B. Li"))
    parsed = references.arxiv_metadata(line | {"authors_parsed": [["Lee", "Ann", ""], ["Li", "Bo", "Jr"]]})
    assert parsed.authors == ("Ann Lee", "Bo Li Jr")


@pytest.mark.parametrize(
    "line", [{}, {"id": "x", "title": "t", "abstract": "a"}, {"id": "2401.00001", "title": "t"}]
)
def test_a_line_that_is_no_paper_is_refused(line: dict):
    with pytest.raises(ValueError, match="no arXiv id"):
        references.arxiv_metadata(line)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"PK\x03\x04rest", "a ZIP or Office file"), (b"\x89PNG\r\n\x1a\n", "an image"),
        (gzip.compress(b"x", mtime=0), "a gzip file"), (b"{\\rtf1", "an RTF file"), (b"\x7fELF", "a program"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["paper.pdf", "notes.md"])
def test_another_kind_of_file_is_refused_by_content_whatever_its_name(data: bytes, what: str, name: str):
    with pytest.raises(UnreadableFile, match=f"this is {what}"):
        read(data, name)


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        ("Owls hunt.", "notes.docx", "text"), ("Owls hunt.", "README", "text"),
        ("# Owls\n\nhunt", "notes.txt", "text"),
        ("# Owls\n\nhunt", "notes", "markdown"), (PAGE, "notes.md", "html"), (BIBTEX, "notes.txt", "bibtex"),
        ("Write to alice@example.com{x}", "notes.txt", "text"),
    ],
)  # fmt: skip
def test_content_decides_what_a_file_is(data: str, name: str, kind: str):
    assert read(data, name)[0].kind == kind


@pytest.mark.parametrize("name", ["a.pdf", "a.md", "a.bib"])
def test_an_empty_file_is_told(name: str):
    with pytest.raises(NoText, match="there is no text in it"):
        read(b" \n", name)


def test_what_is_too_large_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="larger than 1 MB"):
        read(b"x" * 1_000_001, megabytes=1)
    with pytest.raises(UnreadableFile, match="more than 10 characters"):
        read(b"x" * 11, characters=10)
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1_000_001)
    with pytest.raises(UnreadableFile, match=r"a\.txt: larger than 1 MB"):
        formats.read_bytes(path, Limits(megabytes=1))


@pytest.mark.parametrize("name", ["missing.md", "folder.md"])
def test_what_is_no_file_is_refused(tmp_path, name: str):
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(UnreadableFile, match=name):
        formats.read_bytes(tmp_path / name, Limits())


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
def test_notes_of_any_usual_encoding_are_read_with_their_accents(encoding: str):
    note = read("# Résumé\n\nLe cerfeuil est fêlé.".encode(encoding), "notes.md")[0]
    assert note.text == "# Résumé\n\nLe cerfeuil est fêlé."
    assert bool(note.warning) is (encoding in ("latin-1", "cp1252"))
