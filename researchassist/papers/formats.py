"""What a file is, decided by its content and not by its name, and reading it accordingly."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from researchassist.errors import NoText, UnreadableFile

from . import html, pdf, references, text
from .extracted import Extracted
from .pdf import Progress
from .process import Limits

Format = Literal["pdf", "html", "bibtex", "ris", "text"]

# Of a folder, the files with these names are looked at; what they are, their content says.
SUFFIXES = (*text.SUFFIXES, ".pdf", ".html", ".htm", ".xhtml", ".bib", ".ris")

_HEAD = 4096
_HTML = re.compile(
    r"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_BIBTEX = re.compile(r"^\s*@(?!comment|preamble|string)[a-z]+\s*[{(]\s*[^\s,{}]+\s*,", re.I | re.M)
_RIS = re.compile(r"^TY {1,2}- ?[A-Z]{2,}\s*$", re.M)
# Other kinds of file, by how they begin, and what the sentence calls them.
_OTHERS: Sequence[tuple[bytes, str]] = (
    (b"PK\x03\x04", "a ZIP or Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x1f\x8b", "a gzip file"),
    (b"{\\rtf", "an RTF file"),
    (b"%!PS", "a PostScript file"),
    (b"\x7fELF", "a program"),
)


def detect(data: bytes, name: str) -> Format:
    """The format of `data`. Raises UnreadableFile where it is none of those that can be read."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    for start, what in _OTHERS:
        if data.startswith(start):
            raise UnreadableFile(f"{name}: this is {what}, which cannot be read; PDF and text files can.")
    head = text.decode(data, name)[0][:_HEAD].lstrip("\ufeff")
    if _HTML.match(head):
        return "html"
    if _RIS.search(head):
        return "ris"
    if name.lower().endswith(".bib") or _BIBTEX.search(head):
        return "bibtex"
    if name.lower().endswith(".pdf"):
        raise UnreadableFile(f"{name}: this is not a PDF file.")
    return "text"


def extract(data: bytes, name: str, limits: Limits, progress: Progress | None = None) -> list[Extracted]:
    """The documents in a file: one, or each entry of a reference list.

    Raises UnreadableFile where it cannot be read, and NoText where there is no text in it.
    """
    if len(data) > limits.megabytes * 1_000_000:
        raise UnreadableFile(f"{name}: larger than {limits.megabytes} MB.")
    if not data.strip():
        raise NoText(f"{name}: there is no text in it.")
    read: dict[Format, Callable[[], list[Extracted]]] = {
        "pdf": lambda: [pdf.extract(data, name, limits, progress)],
        "html": lambda: [html.extract(data, name, limits)],
        "bibtex": lambda: references.extract("bibtex", data, name, limits),
        "ris": lambda: references.extract("ris", data, name, limits),
        "text": lambda: [text.extract(data, name)],
    }
    kind = detect(data, name)
    found = read[kind]()
    # A PDF is read as far as the limit goes, and says so.
    if kind != "pdf" and sum(len(one.text) for one in found) > limits.characters:
        raise UnreadableFile(f"{name}: it has more than {limits.characters} characters of text.")
    return found


def read_bytes(path: Path, limits: Limits) -> bytes:
    """A file's bytes. Raises UnreadableFile where it cannot be opened or is too large."""
    try:
        if path.stat().st_size > limits.megabytes * 1_000_000:
            raise UnreadableFile(f"{path.name}: larger than {limits.megabytes} MB.")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be read ({error.strerror}).") from error
