"""DOIs: what their registrar says of a work, as one document with its abstract where there is one."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from researchassist.errors import PaperNotFound, WebError

from .extracted import Extracted
from .text import clean
from .web import Door

# doi.org and the registrars it leads to; the publisher's own page is never asked.
HOSTS = (
    "doi.org",
    "www.doi.org",
    "dx.doi.org",
    "api.crossref.org",
    "data.crossref.org",
    "api.datacite.org",
    "data.datacite.org",
    "data.crosscite.org",
    "data.medra.org",
)
RESOLVER = "https://doi.org/"
_SOMETHING_ELSE = "The DOI service gave something else than the work's description."
_ACCEPT = "application/vnd.citationstyles.csl+json"


class Works:
    """Works by their DOI."""

    def __init__(self, door: Door, *, resolver: str = RESOLVER) -> None:
        self._door = door
        self._resolver = resolver

    def fetch(self, doi: str) -> Extracted:
        """A work's metadata. Raises PaperNotFound, and WebError where it cannot be had."""
        reply = self._door.get(self._resolver + quote(doi, safe="/"), headers={"accept": _ACCEPT})
        if reply.status in (404, 410):
            raise PaperNotFound(f"There is no DOI {doi}.")
        if reply.status != 200:
            raise WebError(
                "The DOI service is refusing requests or down; try again later.", status=reply.status
            )
        try:
            work = json.loads(reply.data)
        except ValueError as error:
            raise WebError(_SOMETHING_ELSE) from error
        if not isinstance(work, dict) or not work.get("title"):
            raise WebError(_SOMETHING_ELSE)
        return _read(work, doi)


def _read(work: Mapping[str, Any], doi: str) -> Extracted:
    title, where = _plain(work.get("title")), _plain(work.get("container-title"))
    authors = tuple(
        " ".join(
            part
            for part in (_plain(one.get("given")), _plain(one.get("family") or one.get("literal")))
            if part
        )
        for one in work.get("author") or ()
        if isinstance(one, dict)
    )
    published, abstract = _date(work.get("issued")), _plain(work.get("abstract"))
    about = [title, ", ".join(authors), ", ".join(part for part in (where, published) if part), abstract]
    return Extracted(
        text="\n\n".join(part for part in about if part),
        title=title[:500],
        kind="doi",
        authors=authors,
        published=published,
        url=f"https://doi.org/{doi}",
        warning=(
            "Only the abstract; the paper itself was not fetched."
            if abstract
            else "Only the reference: its registrar has no abstract, and the paper itself was not fetched."
        ),
        identifiers={"doi": doi},
    )


def _plain(value: object) -> str:
    """A text without tags; the first where there is a list of them."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return " ".join(re.sub(r"<[^>]*>", " ", clean(str(value or ""))).split())


def _date(issued: object) -> str:
    try:
        parts = issued["date-parts"][0]  # type: ignore[index]
        return "-".join(f"{int(part):02d}" for part in parts)
    except (KeyError, IndexError, TypeError, ValueError):
        return ""
