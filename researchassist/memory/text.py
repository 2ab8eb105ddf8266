"""Text that can be stored, hashed and compared. Pure functions."""

import hashlib
import re
import unicodedata

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Kana, Chinese characters, Hangul.
_WIDE_RANGES = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WIDE = re.compile(f"[{_WIDE_RANGES}]")

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_BETWEEN_CLAUSES = re.compile(r"(?<=[.!?,;:])\s+|(?<=[。！？，；：])|\n+")


def storable(text: str) -> str:
    """`text` without what a database or a model server cannot take.

    Halves of a surrogate pair that stand together become the character they mean; lone halves
    become U+FFFD and NUL is dropped. Any other text comes back as it is, character for character.
    """
    if _LONE_SURROGATE.search(text):
        text = _SURROGATE_PAIR.sub(_join_pair, text)
        text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text.replace("\x00", "")


def _join_pair(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")


def content_hash(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def name_key(name: str) -> str:
    """What spellings of one name have in common: compatibility form, case, spaces, outer marks."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(folded.split()).strip(" .,;:!?\"'()[]")


def utf8_head(text: str, limit: int) -> str:
    """The longest start of `text` that is at most `limit` bytes of UTF-8."""
    return text.encode("utf-8")[:limit].decode("utf-8", "ignore")


def sentences(text: str, least: int) -> list[str]:
    """The text in sentences and lines; one of fewer than `least` characters stands with the next one.

    Blank text has none.
    """
    return _parts(_BETWEEN_SENTENCES, text, least)


def clauses(text: str, least: int) -> list[str]:
    """The text in what commas and the like divide, in the same way."""
    return _parts(_BETWEEN_CLAUSES, text, least)


def _parts(between: re.Pattern[str], text: str, least: int) -> list[str]:
    found, short = [], ""
    for part in between.split(text):
        short = f"{short} {part}".strip()
        if len(short) >= least:
            found.append(short)
            short = ""
    return [*found, short] if short else found


def count_words(text: str) -> int:
    """Words of `text`; of scripts that are written without spaces, each character is one."""
    wide = len(WIDE.findall(text))
    return wide + len(WIDE.sub(" ", text).split())


def first_words(text: str, limit: int) -> str:
    """The start of `text` within `limit` words, up to the end of a sentence or line where one is near."""
    if count_words(text) <= limit:
        return text
    end, count = 0, 0
    for match in re.finditer(rf"{WIDE.pattern}|[^\s{_WIDE_RANGES}]+", text):
        if count == limit:
            break
        count, end = count + 1, match.end()
    head = text[:end]
    borders = [match.end() for match in re.finditer(r"[.!?。！？](?=\s|$)|\n|[。！？]", head)]
    near = [border for border in borders if border > len(head) * 2 // 3]
    return f"{head[: near[-1]].rstrip() if near else head} …"


def head_and_tail(text: str, limit: int) -> str:
    """`text` within `limit` characters: its start and its end, with a notice of what is left out."""
    if len(text) <= limit:
        return text
    notice = f"\n[… {len(text) - limit} characters left out here; the original keeps them …]\n"
    room = limit - len(notice)
    tail = room // 3
    return text[: room - tail] + notice + text[len(text) - tail :]
