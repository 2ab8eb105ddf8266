"""Web search, where its key is set (D15)."""

from researchassist.agent import acquire
from researchassist.errors import ToolError

from .definition import ToolContext, working

_MOST = 20


@working("Searching the web for “{query}”")
def search_tavily(context: ToolContext, query: str, max_results: int = 5) -> list[dict[str, object]]:
    """Search the web for what is in no paper: news, documentation, people, products.

    Use it only when neither memory nor arXiv can know. Each result is stored in memory as well.

    Args:
        query: What to look for.
        max_results: How many results, at most 20.
    """
    if not query.strip():
        raise ToolError("Say what to search for.")
    results = acquire.search_web(context.assistant, query, min(max(max_results, 1), _MOST))
    return [
        {"title": one.title, "url": one.url, "score": one.score, "content": one.content} for one in results
    ]
