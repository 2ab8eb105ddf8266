"""Reading Markdown and plain text files: bytes to clean text, with a title.

Owns decoding and cleaning; PDF and other formats have their own modules.
"""

import codecs
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from researchassist.errors import UnreadableFile

SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".txt": "text", ".text": "text"}

_LARGEST_BYTES = 50_000_000
# Fewer bad bytes than this share: damaged UTF-8. More: another encoding.
_DAMAGED_SHARE = 0.005
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff]|\x1b\\[[0-9;]*[A-Za-z]")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_INVISIBLE = re.compile("[\\s\u200b-\u200f\u2060\u00ad]+")


@dataclass(frozen=True)
class TextFile:
    """A file's text; `kind` is "markdown" or "text", `warning` says what was guessed or lost."""

    text: str
    title: str
    kind: str
    warning: str


def read(path: Path) -> TextFile:
    """The clean text of a file.

    Raises UnreadableFile, with a sentence that names the file, where it cannot be opened, is too
    large, is not text, or holds none.
    """
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise UnreadableFile(f"{path.name}: this kind of file cannot be read; .md and .txt can.")
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise UnreadableFile(f"{path.name}: larger than {_LARGEST_BYTES // 1_000_000} MB.")
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be read ({error.strerror}).") from error
    text, warning = decode(data, path.name)
    text = clean(text)
    body = _FRONT_MATTER.sub("", text)
    if not _INVISIBLE.sub("", body):
        raise UnreadableFile(f"{path.name}: there is no text in it.")
    return TextFile(text, title_of(body) or path.stem, kind, warning)


def decode(data: bytes, name: str) -> tuple[str, str]:
    """The text of `data` and a warning where the encoding was guessed or bytes were lost.

    Raises UnreadableFile where the bytes are no text.
    """
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ""
    if b"\x00" in data:
        raise UnreadableFile(f"{name}: this is not a text file.")
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "replace")
    lost = text.count("\N{REPLACEMENT CHARACTER}")
    if lost <= max(1, int(len(text) * _DAMAGED_SHARE)) and any(byte > 0x7F for byte in data):
        sound = text.replace("\N{REPLACEMENT CHARACTER}", "")
        if lost == 1 or any(ord(character) > 0x7F for character in sound):
            return text, f"{lost} bytes were not valid UTF-8 and were replaced."
    return data.decode("cp1252", "replace"), "Not UTF-8; read as Windows-1252, which is a guess."


def clean(text: str) -> str:
    """Line ends as LF, NFC, no control characters, escape codes or byte order marks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _CONTROL.sub("", text))


def title_of(text: str) -> str:
    """The first heading, else the first line, at most 120 characters."""
    heading = re.search(r"^#{1,6}[ \t]+(.+)$", text, re.MULTILINE)
    line = heading.group(1) if heading else next(filter(str.strip, text.splitlines()), "")
    return line.strip().strip("#*_ ")[:120]
