"""Web search by Tavily: results with title, address, text and score. Only where its key is set."""

import json
from dataclasses import dataclass

from researchassist.errors import WebError

from .text import clean
from .web import Door

API = "https://api.tavily.com/search"
HOSTS = ("api.tavily.com",)
_LONGEST = 20_000


@dataclass(frozen=True)
class Result:
    """One page that was found."""

    title: str
    url: str
    content: str
    score: float


class Tavily:
    """The search service; the key is in the request's header and nowhere else."""

    def __init__(self, door: Door, key: str, *, api: str = API) -> None:
        self._door = door
        self._key = key
        self._api = api

    def search(self, query: str, limit: int) -> list[Result]:
        """What the web has for a query, best first. Raises WebError."""
        reply = self._door.post(
            self._api,
            headers={"authorization": f"Bearer {self._key}", "content-type": "application/json"},
            content=json.dumps({"query": query, "max_results": limit}).encode(),
        )
        if reply.status in (401, 403):
            raise WebError("Web search refused the key; check TAVILY_API_KEY.", status=reply.status)
        if reply.status != 200:
            raise WebError("Web search is refusing requests or down; try again later.", status=reply.status)
        try:
            found = json.loads(reply.data)["results"]
            return [_result(one) for one in found if one.get("url")][:limit]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WebError("Web search answered something that cannot be read.") from error


def _result(one: dict[str, object]) -> Result:
    score = one.get("score")
    return Result(
        title=clean(str(one.get("title") or one["url"]))[:500],
        url=clean(str(one["url"]))[:2000],
        content=clean(str(one.get("content") or ""))[:_LONGEST],
        score=float(score) if isinstance(score, int | float) else 0.0,
    )
