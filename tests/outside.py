"""Servers from outside played on loopback: arXiv, a DOI registrar, web search, any page.

Names lead to the test's server by the doors' own `resolve`; nothing a user could set does that.
"""

from collections.abc import Sequence
from typing import Any

import pymupdf
from pytest_httpserver import HTTPServer

from researchassist.papers.arxiv import Arxiv
from researchassist.papers.identify import ARXIV_HOSTS
from researchassist.papers.sources import Sources
from researchassist.papers.tavily import Tavily
from researchassist.papers.web import Door
from researchassist.papers.works import Works

API, PDFS = "http://export.arxiv.org/api/query", "http://arxiv.org/pdf/"


def door(http: HTTPServer, hosts: Sequence[str] | None = None, **changed: Any) -> Door:
    """A door behind which every name is the test's server."""
    fields: dict[str, Any] = {
        "hosts": hosts,
        "seconds": 5.0,
        "megabytes": 20,
        "resolve": lambda _host, _port: [("127.0.0.1", http.port)],
        "is_allowed": lambda _address: True,
    }
    return Door(**fields | changed)


def arxiv(http: HTTPServer, *, slept: list[float] | None = None, **changed: Any) -> Arxiv:
    """arXiv on the test's server; `slept` collects the pauses instead of making them."""
    sleeps = slept if slept is not None else []
    feed = door(http, ARXIV_HOSTS, **changed)
    return Arxiv(feed, feed, pause=3.0, api=API, pdfs=PDFS, sleep=sleeps.append)


def sources(http: HTTPServer, *, key: str = "") -> Sources:
    """Everything outside on the test's server."""
    return Sources(
        arxiv=arxiv(http),
        works=Works(door(http, ("doi.org", "api.crossref.org")), resolver="http://doi.org/"),
        links=door(http),
        tavily=Tavily(door(http, ("api.tavily.com",)), key, api="http://api.tavily.com/search")
        if key
        else None,
    )


def entry(arxiv_id: str, title: str = "A made-up paper", **fields: str) -> str:
    """One entry of arXiv's feed."""
    return f"""<entry><id>http://arxiv.org/abs/{arxiv_id}</id><updated>2024-03-03T00:00:00Z</updated>
<published>{fields.get("published", "2023-10-12T17:51:32Z")}</published><title>{title}</title>
<summary>{fields.get("abstract", "We make things up about memory.")}</summary>
<author><name>{fields.get("author", "Alice Nobody")}</name></author>{fields.get("link", "")}
<category term="cs.AI"/></entry>"""


def feed(*entries: str, total: int | None = None) -> str:
    """arXiv's feed of these entries."""
    return f"""<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"
xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">
<id>http://arxiv.org/api/made</id><title>ArXiv Query</title><updated>2024-03-03T00:00:00Z</updated>
<opensearch:totalResults>{len(entries) if total is None else total}</opensearch:totalResults>
{"".join(entries)}</feed>"""


def pdf(*pages: str, **metadata: str) -> bytes:
    """A PDF of these pages, each of lines of text."""
    document = pymupdf.open()
    for text in pages:
        page = document.new_page()
        for number, line in enumerate(text.splitlines()):
            page.insert_text((60, 90 + 16 * number), line, fontsize=11)
    if metadata:
        document.set_metadata(metadata)
    data: bytes = document.tobytes()
    return data
