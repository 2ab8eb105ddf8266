"""Markdown and plain text: bytes to clean text, with a title and what the front matter says.

Owns decoding and cleaning, which every other format uses too.
"""

import codecs
import re
import unicodedata

from researchassist.errors import NoText, UnreadableFile

from .extracted import Extracted

SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".txt": "text", ".text": "text"}

# Fewer bad bytes than this share: damaged UTF-8. More: another encoding.
_DAMAGED_SHARE = 0.005
# An accented letter of Windows-1252 inside or at the end of a word: "na\xefve", "caf\xe9".
_WORD_BYTE = re.compile(rb"[A-Za-z][\xc0-\xd6\xd8-\xf6\xf8-\xff](?![\x80-\xff])")
_CONTROL = re.compile(
    "\x1b\\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff\ufffe\uffff]"
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_FRONT_MATTER = re.compile(r"\A---\n(?:(.*?)\n)?---(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|authors?|date|year|url|doi):[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_INVISIBLE = re.compile("[\\s\u200b-\u200f\u2060\u00ad]+")
_MARKDOWN = re.compile(r"\A(?:---\n|\s*#{1,6} )|^#{1,6} \S", re.MULTILINE)


def extract(data: bytes, name: str) -> Extracted:
    """The clean text of a file; its front matter stays in it.

    Raises UnreadableFile, with a sentence that names the file, where it is no text, and NoText
    where it holds none.
    """
    text, warning = decode(data, name)
    return extract_text(text, name, warning=warning)


def extract_text(text: str, name: str, *, warning: str = "") -> Extracted:
    """The same for text that is decoded already."""
    text = clean(text)
    matter = _FRONT_MATTER.match(text)
    body = text[matter.end() :] if matter else text
    if not _INVISIBLE.sub("", body):
        raise NoText(f"{name}: there is no text in it.")
    fields = {key.lower(): value.strip(" \"'") for key, value in _FIELD.findall((matter and matter[1]) or "")}
    stem, _, suffix = name.rpartition(".")
    kind = SUFFIXES.get(f".{suffix.lower()}" if stem else "")
    authors = fields.get("authors") or fields.get("author") or ""
    return Extracted(
        text=text,
        title=(fields.get("title") or title_of(body) or stem or name)[:300],
        kind=kind or ("markdown" if _MARKDOWN.search(text) else "text"),
        authors=tuple(
            part.strip(" \"'[]") for part in re.split(r",|;| and ", authors) if part.strip(" \"'[]")
        ),
        published=(fields.get("date") or fields.get("year") or "")[:32],
        url=fields.get("url", ""),
        warning=warning,
        identifiers={"doi": fields["doi"]} if "doi" in fields else {},
    )


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
        others = any(ord(character) > 0x7F for character in sound)
        if others or (lost == 1 and not _WORD_BYTE.search(data)):
            return text, f"{lost} bytes were not valid UTF-8 and were replaced."
    return data.decode("cp1252", "replace"), "Not UTF-8; read as Windows-1252, which is a guess."


def clean(text: str) -> str:
    """Line ends as LF, NFC, ligatures taken apart; no control characters, escape codes, byte order
    marks or lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _LONE_SURROGATE.search(text):
        text = _SURROGATE_PAIR.sub(
            lambda m: m.group().encode("utf-16", "surrogatepass").decode("utf-16"), text
        )
        text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    text = _LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m.group()), text)
    return unicodedata.normalize("NFC", _CONTROL.sub("", text))


def title_of(text: str) -> str:
    """The first heading, else the first line, at most 120 characters."""
    heading = re.search(r"^#{1,6}[ \t]+(.+)$", text, re.MULTILINE)
    line = heading.group(1) if heading else next(filter(str.strip, text.splitlines()), "")
    return line.strip().strip("#*_ ")[:120]
