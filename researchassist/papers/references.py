"""Reference lists: BibTeX, RIS and the arXiv metadata dump; each entry a document of its own.

BibTeX and RIS are parsed in the child process (by `bibtex` and `ris`), for `extract` here.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import rispy
from bibtexparser import middlewares
from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library

from researchassist.errors import NoText, UnreadableFile

from .extracted import Extracted, year_of
from .identify import arxiv_id, find_doi
from .process import Limits, lines_of
from .text import clean, decode

_PLAIN = [middlewares.LatexDecodingMiddleware(), middlewares.SeparateCoAuthors()]


def extract(kind: str, data: bytes, name: str, limits: Limits) -> list[Extracted]:
    """The entries of a BibTeX or RIS file.

    Raises UnreadableFile where none can be read, and NoText where there is none.
    """
    text, warning = decode(data, name)
    lines = list(lines_of(kind, clean(text).encode(), limits))
    found = [Extracted(**_tuples(line["entry"])) for line in lines if "entry" in line]
    last = next((line for line in lines if "stopped" in line), None)
    if not found and (last is None or last["broken"]):
        raise UnreadableFile(f"{name}: no reference in it can be read.")
    if not found:
        raise NoText(f"{name}: there is no reference in it.")
    missing = [] if last is not None else ["Reading the list broke off; the rest of its entries is missing."]
    if last is not None and last["broken"]:
        missing.append(f"{last['broken']} entries of the list cannot be read.")
    first = " ".join(part for part in (found[0].warning, warning, *missing) if part)
    return [replace(found[0], warning=first), *found[1:]]


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


def bibtex(text: str) -> tuple[list[Extracted], int]:
    """The entries of a BibTeX file, and how many blocks cannot be read."""
    library: Library = parse_string(text, append_middleware=_PLAIN)
    found = []
    for entry in library.entries:
        fields = {field.key.lower(): field.value for field in entry.fields}
        authors = fields.pop("author", ())
        names = authors if isinstance(authors, list) else [str(authors)]
        found.append(
            _entry(
                {key: str(value) for key, value in fields.items()},
                key=entry.key,
                authors=[_forwards(str(name)) for name in names if name],
                kind="bibtex",
            )
        )
    return found, len(library.failed_blocks)


def ris(text: str) -> tuple[list[Extracted], int]:
    """The entries of a RIS file; a missing end of the last one and single blanks are forgiven."""
    text = re.sub(r"^([A-Z][A-Z0-9]) {1,2}- ?", r"\1  - ", text, flags=re.MULTILINE).rstrip() + "\nER  - \n"
    return [_ris_entry(entry) for entry in rispy.loads(text)], 0


def _ris_entry(entry: Mapping[str, Any]) -> Extracted:
    fields = {
        "title": entry.get("title") or entry.get("primary_title"),
        "abstract": entry.get("abstract") or entry.get("notes_abstract"),
        "year": entry.get("year") or entry.get("publication_year") or entry.get("date"),
        "journal": entry.get("journal_name") or entry.get("secondary_title") or entry.get("alternate_title3"),
        "doi": entry.get("doi"),
        "url": next(iter(entry.get("urls") or ()), ""),
        "keywords": ", ".join(entry.get("keywords") or ()),
    }
    plain = {key: str(value or "") for key, value in fields.items()}
    names = [_forwards(str(name)) for name in entry.get("authors") or entry.get("first_authors") or ()]
    key = str(entry.get("id") or hashlib.sha256(repr(plain).encode()).hexdigest()[:12])
    return _entry(plain, key=key, authors=names, kind="ris")


def _forwards(name: str) -> str:
    """A name given as "family, given" in the order it is said."""
    return " ".join(reversed(name.split(", ", 1)))


def arxiv_metadata(entry: Mapping[str, Any]) -> Extracted:
    """One line of the public arXiv metadata dump. Raises ValueError where it is none."""
    found = arxiv_id(str(entry.get("id") or ""))
    abstract, title = entry.get("abstract"), entry.get("title")
    if found is None or not isinstance(abstract, str) or not isinstance(title, str) or not abstract.strip():
        raise ValueError("no arXiv id, title or abstract")
    versions = entry.get("versions") or [{}]
    authors = entry.get("authors_parsed") or []
    names = [" ".join(str(part) for part in [*reversed(name[:2]), *name[2:]] if part) for name in authors]
    if not names:
        names = str(entry.get("authors") or "").replace(" and ", ", ").split(", ")
    title, categories = " ".join(clean(title).split()), str(entry.get("categories") or "")
    return Extracted(
        # Title, subjects and abstract are what is found (CTX-C7).
        text=f"{title}\n\n{categories}\n\n{clean(abstract).strip()}",
        title=title[:500],
        kind="arxiv abstract",
        authors=tuple(name.strip() for name in names if name.strip()),
        published=str(entry.get("update_date") or ""),
        url=f"https://arxiv.org/abs/{found.bare}",
        version=str(versions[-1].get("version") or "") if isinstance(versions[-1], dict) else "",
        key=found.bare,
        identifiers={"arxiv": found.bare},
    )


def _entry(fields: Mapping[str, str], *, key: str, authors: list[str], kind: str) -> Extracted:
    """One reference as a document: what it says of the work, then its abstract."""
    fields = {
        name: " ".join(value.replace("{", "").replace("}", "").split()) for name, value in fields.items()
    }
    title = fields.get("title") or key
    authors = [" ".join(name.replace("{", "").replace("}", "").split()) for name in authors]
    year = year_of(fields.get("year") or fields.get("date") or "")
    where = fields.get("journal") or fields.get("booktitle") or fields.get("publisher") or ""
    abstract = fields.get("abstract", "")
    about = [
        title,
        ", ".join(authors),
        ", ".join(part for part in (where, year) if part),
        fields.get("keywords", ""),
    ]
    eprint = (
        arxiv_id(fields.get("eprint", ""))
        or arxiv_id(fields.get("url", ""))
        or arxiv_id(fields.get("doi", ""))
    )
    doi = find_doi(fields.get("doi", ""))
    identifiers = ({"arxiv": eprint.bare} if eprint else {}) | ({"doi": doi} if doi else {})
    return Extracted(
        text="\n\n".join(part for part in (*about, abstract) if part),
        title=title[:500],
        kind=kind,
        authors=tuple(authors),
        published=year,
        url=fields.get("url", "")[:2000],
        warning="" if abstract else "Only the reference: the entry has no abstract.",
        key=key,
        identifiers=identifiers,
    )
