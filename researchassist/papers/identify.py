"""Ids by rule: what a summary must not lose, and what a text the person gives refers to. Pure functions."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

_DOI = r"10\.\d{4,9}/[^\s\"'<>\]]+[^\s\"'<>\].,;:)]"
_URL = r"https?://[^\s\"'<>\])]+[^\s\"'<>\]).,;:!?]"
_ARXIV = r"(?:arXiv:)?(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?"
_SUFFIXES = (
    r"pdf|md|txt|py|jsonl?|ya?ml|csv|tsv|tex|bib|ris|html?|ipynb|cfg|ini|toml|log|sh|rs|go|js|ts|c|cc|cpp|h"
    r"|java|parquet|npz?|pt|safetensors|gz|zip|tar"
)
_FILE = rf"[\w./-]{{0,200}}\w\.(?:{_SUFFIXES})\b"
_CODE = r"[A-Z][A-Z0-9]*(?:[-_][A-Z0-9]+)*[-_]?\d[A-Z0-9_-]*"
_VERSION = r"v?\d+\.\d+\.\d+(?:[-+][\w.]+)?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:, \d{{4}})?"
_UNIT = (
    r"(?:%|percent|[kMGT]i?B|ms|µs|ns|s|sec(?:onds)?|min(?:utes)?|h(?:ours)?|days?|weeks?|months?|years?"
    r"|tokens?|characters?|dimensions?|GPUs?|[kMG]?Hz|[km]?W|kWh|°C|K|[kcmµn]?m|k?g|mg|USD|EUR|GBP|euros?"
    r"|dollars?)"
)
_NUMBER = r"(?:\d{1,3}(?: \d{3})+|\d(?:[\d,.]*\d)?)"
_AMOUNT = rf"[$€£]\s?{_NUMBER}|{_NUMBER}\s?{_UNIT}(?![\w])"

_MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
# A title in quotation marks: two words or more, beginning with a capital or a number.
_TITLE = r"[“\"«](?=[A-Z0-9À-ÖØ-Þ])[^“”\"«»\s]+(?: [^“”\"«»\s]+){1,24}[”\"»]"

_IDENTIFIER = re.compile(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            _TITLE,
            _URL,
            _MAIL,
            rf"\b{_DOI}",
            rf"(?<![\w.]){_ARXIV}(?![\w.]*\w\.\w)\b",
            rf"\b{_FILE}",
            rf"(?<!\w)(?:{_DATE})(?!\w)",
            rf"(?<![\w-]){_CODE}\b",
            rf"(?<![\w.]){_VERSION}\b",
            rf"(?<![\w.])(?:{_AMOUNT})",
        )
    )
)


def identifiers(text: str) -> list[str]:
    """Exact identifiers in `text`, each once, in their order.

    arXiv ids, DOIs, URLs, mail addresses, file names, codes, versions, dates, amounts, numbers with
    units, and titles in quotation marks (with the marks); also the identifiers within such a title.
    """
    found: dict[str, None] = {}
    for match in _IDENTIFIER.finditer(text):
        name = match.group().strip()
        found[name] = None
        if name[0] in '“"«':
            found |= dict.fromkeys(identifiers(name[1:-1]))
    return list(found)


# A text that is one reference, whole: from here on nothing is searched for within a text.

ARXIV_HOSTS = ("arxiv.org", "www.arxiv.org", "export.arxiv.org")
_ARXIV_PATH = re.compile(r"^/(?:abs|pdf|html|format|ps|e-print|src)/(.+?)(?:\.pdf)?/?$")
_NEW_ID = re.compile(r"^(\d{2})(\d{2})\.(\d{4,5})(?:v([1-9]\d{0,2}))?$")
_OLD_ID = re.compile(r"^([a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z]{2})?/(\d{2})(\d{2})(\d{3})(?:v([1-9]\d{0,2}))?$")
_OLD_NUMBER = re.compile(r"^\d{7}(?:v\d+)?$")
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$", re.IGNORECASE)
_WHOLE_DOI = re.compile(rf"^{_DOI}$")
_DOI_HOSTS = ("doi.org", "dx.doi.org", "www.doi.org")
# Top level names that are never on the public internet.
_NOWHERE = (".invalid", ".test", ".example", ".localhost", ".local", ".internal", ".onion")
# The archives that had numbers of the old kind; others never were.
_ARCHIVES = frozenset([
    "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an", "chao-dyn",
    "chem-ph", "cmp-lg", "comp-gas", "cond-mat", "cs", "dg-ga", "funct-an", "gr-qc", "hep-ex",
    "hep-lat", "hep-ph", "hep-th", "math", "math-ph", "mtrl-th", "nlin", "nucl-ex", "nucl-th",
    "patt-sol", "physics", "plasm-ph", "q-alg", "q-bio", "quant-ph", "solv-int", "supr-con",
])  # fmt: skip


@dataclass(frozen=True)
class ArxivId:
    """An arXiv id: without its version, and the version ("" where none was named)."""

    bare: str
    version: str = ""

    def __str__(self) -> str:
        return self.bare + self.version


@dataclass(frozen=True)
class Reference:
    """What a text refers to; `value` is the id, DOI or address."""

    kind: Literal["arxiv", "doi", "link"]
    value: str


def reference(text: str) -> Reference | None:
    """The one arXiv paper, DOI or web address that `text` is, or None."""
    text = _bare(text)
    if paper := arxiv_id(text):
        return Reference("arxiv", str(paper))
    if doi := find_doi(text):
        return Reference("doi", doi)
    parts = _split(text)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    looks_like_arxiv = (path := _ARXIV_PATH.match(parts.path)) is not None and _parsed(
        path.group(1)
    ) is not None
    if looks_like_arxiv or parts.hostname in (*ARXIV_HOSTS, *_DOI_HOSTS) or parts.hostname.endswith(_NOWHERE):
        return None
    return Reference("link", text)


def arxiv_id(text: str) -> ArxivId | None:
    """The arXiv id that `text` is: new or old, with or without version, prefix, address or DOI."""
    text = _bare(text)
    parts = _split(text)
    if parts is not None and parts.scheme in ("http", "https"):
        host = parts.hostname or ""
        if host in _DOI_HOSTS:
            text = unquote(parts.path).strip("/")
        elif host in ARXIV_HOSTS and parts.username is None and (path := _ARXIV_PATH.match(parts.path)):
            text = path.group(1)
        else:
            return None
    if match := _ARXIV_DOI.match(text.removeprefix("doi:")):
        text = match.group(1)
    if text[:6].lower() == "arxiv:":
        text = text[6:].strip()
    return _parsed(text)


def is_ambiguous(text: str) -> bool:
    """Whether `text` is the number of an old arXiv id without the archive it needs."""
    return bool(_OLD_NUMBER.match(_bare(text)))


def find_doi(text: str) -> str:
    """The DOI that `text` is, bare or as an address, in lower case; "" where it is none."""
    text = _bare(text)
    parts = _split(text)
    if parts is not None and parts.scheme in ("http", "https") and parts.hostname in _DOI_HOSTS:
        text = unquote(parts.path).strip("/")
    text = re.sub(r"^doi:\s*", "", text, flags=re.IGNORECASE)
    return text.lower() if _WHOLE_DOI.match(text) else ""


def _parsed(text: str) -> ArxivId | None:
    if match := _NEW_ID.match(text):
        year, month, number, version = match.groups()
        # Four digits until 2014, five from 2015 on; the scheme began in April 2007.
        long = int(year) >= 15
        if not (1 <= int(month) <= 12 and len(number) == (5 if long else 4) and (year + month) >= "0704"):
            return None
        return ArxivId(f"{year}{month}.{number}", f"v{version}" if version else "")
    if match := _OLD_ID.match(text):
        archive, year, month, number, version = match.groups()
        if archive in _ARCHIVES and 1 <= int(month) <= 12:
            return ArxivId(f"{archive}/{year}{month}{number}", f"v{version}" if version else "")
    return None


def _bare(text: str) -> str:
    """`text` without blanks and invisible characters around it."""
    return "".join(c for c in text if unicodedata.category(c) != "Cf").strip()


def _split(text: str):  # type: ignore[no-untyped-def]
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  (raises where it is no number)
    except ValueError:
        return None
    return parts if parts.scheme and not any(c.isspace() for c in text) else None
