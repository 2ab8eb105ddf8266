"""Finding exact identifiers in text by rule: what a summary must not lose. Pure functions."""

import re

_DOI = r"10\.\d{4,9}/[^\s\"'<>\]]+[^\s\"'<>\].,;:)]"
_URL = r"https?://[^\s\"'<>\])]+[^\s\"'<>\]).,;:!?]"
_ARXIV = r"(?:arXiv:)?(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?"
_SUFFIXES = (
    r"pdf|md|txt|py|jsonl?|ya?ml|csv|tsv|tex|bib|ris|html?|ipynb|cfg|ini|toml|log|sh|rs|go|js|ts|c|cc|cpp|h"
    r"|java|parquet|npz?|pt|safetensors|gz|zip|tar"
)
_FILE = rf"[\w./-]*\w\.(?:{_SUFFIXES})\b"
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

_IDENTIFIER = re.compile(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            _URL,
            rf"\b{_DOI}",
            rf"(?<![\w.]){_ARXIV}(?![\w.]*\w\.\w)\b",
            rf"\b{_FILE}",
            rf"(?<!\w)(?:{_DATE})(?!\w)",
            rf"(?<![\w-]){_CODE}\b",
            rf"(?<![\w.]){_VERSION}\b",
            rf"(?<![\w.]){_AMOUNT}",
        )
    )
)


def identifiers(text: str) -> list[str]:
    """Exact identifiers in `text`, each once, in their order.

    arXiv ids, DOIs, URLs, file names, codes, versions, dates, amounts and numbers with units.
    """
    return list(dict.fromkeys(match.group().strip() for match in _IDENTIFIER.finditer(text)))
