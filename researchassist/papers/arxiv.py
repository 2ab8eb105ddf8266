"""arXiv: searching it, and fetching one paper; politely, within limits, honest about failures.

"Refusing or down" is a WebError and never "not found". Owns the rate: one request at a time, with a
pause between them.
"""

import threading
import time
from collections.abc import Callable
from urllib.parse import urlencode

from researchassist.errors import PaperNotFound, WebError

from .arxiv_feed import DOWN, Feed, Paper, parse
from .identify import ARXIV_HOSTS, ArxivId
from .web import Door, Reply

API = "https://export.arxiv.org/api/query"
FILES = "https://arxiv.org/pdf/"
_PAGE = 100
_RETRIES = 3
_RETRIED = (429, 500, 502, 503, 504)
# Longer than this is not waited for in a turn: it is told instead.
_LONGEST_WAIT = 10.0

# Every word must be in a paper to be found, so those that say nothing about it are left out.
_EMPTY_WORDS = frozenset([
    "a", "about", "an", "and", "article", "arxiv", "by", "for", "from", "in", "of", "on", "paper",
    "papers", "the", "to", "with",
])  # fmt: skip


class Arxiv:
    """arXiv over its API. Safe to share between threads."""

    def __init__(
        self,
        door: Door,
        files: Door,
        *,
        pause: float,
        api: str = API,
        pdfs: str = FILES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._door = door
        self._files = files
        self._pause = pause
        self._api = api
        self._pdfs = pdfs
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next = 0.0

    def search(self, query: str, limit: int) -> tuple[list[Paper], str]:
        """Papers for a query, best first, and a note where arXiv gave fewer than it has. Raises WebError."""
        papers: dict[str, Paper] = {}
        while len(papers) < limit:
            size = min(_PAGE, limit - len(papers))
            asked = {"search_query": _terms(query), "start": len(papers), "max_results": size}
            try:
                feed = self._feed({**asked, "sortBy": "relevance", "sortOrder": "descending"})
            except WebError:
                if papers:
                    return list(papers.values()), _short(len(papers))
                raise
            before = len(papers)
            papers |= {paper.arxiv_id: paper for paper in feed.papers if paper.arxiv_id not in papers}
            if len(papers) == before:
                return list(papers.values()), _short(before) if before < min(feed.total, limit) else ""
            if len(papers) >= feed.total:
                break
        return list(papers.values())[:limit], ""

    def paper(self, wanted: ArxivId) -> Paper:
        """One paper's description. Raises PaperNotFound, and WebError where arXiv is refusing or down."""
        feed = self._feed({"id_list": str(wanted), "max_results": 1})
        for paper in feed.papers:
            if paper.arxiv_id == wanted.bare and wanted.version in ("", paper.version):
                return paper
        raise PaperNotFound(f"arXiv has no paper {wanted}.")

    def pdf(self, paper: Paper) -> bytes | None:
        """A paper's PDF, or None where it has none. Raises WebError."""
        # The address is built from the id, also where the feed lacks it or names another host.
        reply = self._polite(self._files, f"{self._pdfs}{paper.arxiv_id}{paper.version}")
        if reply.status == 404:
            return None
        if reply.status != 200:
            raise WebError(DOWN, status=reply.status)
        if b"%PDF-" not in reply.data[:1024]:
            raise WebError("arXiv gave a web page instead of the paper's PDF; try again later.")
        return reply.data

    def _feed(self, asked: dict[str, object]) -> Feed:
        reply = self._polite(self._door, f"{self._api}?{urlencode(asked)}")
        if reply.status != 200:
            # arXiv answers what it cannot parse with 400 and a feed that says why.
            if reply.status == 400:
                parse(reply.data)
            raise WebError(DOWN, status=reply.status)
        return parse(reply.data)

    def _polite(self, door: Door, url: str) -> Reply:
        """One request at a time with a pause between; asked again where the server asks for patience."""
        with self._lock:
            for attempt in range(_RETRIES + 1):
                self._sleep(max(self._next - time.monotonic(), 0))
                try:
                    reply = door.get(url)
                finally:
                    self._next = time.monotonic() + self._pause
                if reply.status not in _RETRIED or attempt == _RETRIES:
                    return reply
                wait = _asked_to_wait(reply)
                if wait > _LONGEST_WAIT:
                    raise WebError(
                        f"arXiv is refusing requests and asks to wait {wait:.0f} seconds; try again later.",
                        status=reply.status,
                        retry_after=wait,
                    )
                self._next = time.monotonic() + max(wait, self._pause)
            raise AssertionError("the loop returns")


def doors(seconds: float, download_seconds: float, megabytes: int) -> tuple[Door, Door]:
    """The doors to the API and to the files."""
    return (
        Door(hosts=ARXIV_HOSTS, seconds=seconds, megabytes=min(megabytes, 20)),
        Door(hosts=ARXIV_HOSTS, seconds=download_seconds, megabytes=megabytes),
    )


def _terms(query: str) -> str:
    """A query in arXiv's own syntax as it is; plain words as a search for all of them."""
    if any(f"{field}:" in query for field in ("ti", "au", "abs", "co", "jr", "cat", "rn", "id", "all")):
        return query
    parts = (part.strip("\"'()[]{},;:!?.") for part in query.split())
    words = [word for word in parts if word and word.lower() not in _EMPTY_WORDS] or [query.strip()]
    return " AND ".join(f'all:"{word}"' if "-" in word else f"all:{word}" for word in words[:20])


def _short(count: int) -> str:
    return f"arXiv stopped after {count} results; there are more."


def _asked_to_wait(reply: Reply) -> float:
    """Seconds of a Retry-After header; 0 where there is none that can be read."""
    value = reply.headers.get("retry-after", "").strip()
    return float(value) if value.isdigit() else 0.0
