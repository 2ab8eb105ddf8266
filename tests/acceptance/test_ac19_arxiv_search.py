"""AC19 (R14, D15): the arXiv search gives a JSON array of whole records, and they are memory."""

import json
import socket
from collections.abc import Callable

import pytest
from pytest_httpserver import HTTPServer

from researchassist.agent.assistant import Assistant
from researchassist.agent.tools.definition import ToolContext
from researchassist.llm.types import ToolCall
from researchassist.memory.models import SemanticMemory
from tests import outside
from tests.outside import entry, feed

FIELDS = {"arxiv_id", "entry_id", "title", "authors", "published", "abstract"}


def search(assistant: Assistant, query: str) -> list[dict[str, object]]:
    """Runs the tool as the harness does; the whole result from the tool log."""
    question = assistant.memory.write_conversational_memory("Find papers.", "user", "t")
    call = ToolCall("call_1", "search_arxiv", json.dumps({"query": query}))
    result = assistant.toolbox.run(call, ToolContext(assistant, question), "source-0")
    log = assistant.memory.tool_log(result.log_id)
    assert result.status == "success", log.result
    found, _ = json.JSONDecoder().raw_decode(log.result)
    return list(found)


def check(found: list[dict[str, object]]) -> None:
    """What the specification asks of every element, and that each is in the knowledge base."""
    assert 1 <= len(found) <= 8
    for paper in found:
        assert set(paper) == FIELDS
        assert all(paper.values())
        assert len(str(paper["abstract"])) <= 2500
        assert SemanticMemory.objects.filter(metadata__title=paper["title"]).exists()


@pytest.mark.live
def test_live_the_search_for_agent_memory(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    if not reachable("export.arxiv.org"):
        pytest.skip("no network: export.arxiv.org cannot be reached")
    found = search(make_assistant(), "agent memory")
    check(found)
    evidence(f"{len(found)} papers from arXiv, the first {found[0]['arxiv_id']}")


def test_on_loopback_the_search_for_agent_memory(
    make_assistant: Callable[..., Assistant], httpserver: HTTPServer, evidence: Callable[[str], None]
) -> None:
    entries = [
        entry(f"2310.0856{n}v1", f"Agent memory {n}", abstract="Agents remember. " * 200) for n in range(8)
    ]
    httpserver.expect_request("/api/query").respond_with_data(feed(*entries, total=250))
    found = search(make_assistant(sources=outside.sources(httpserver)), "agent memory")
    check(found)
    assert len(found) == 8
    evidence(f"loopback: {len(found)} papers, each with {len(FIELDS)} fields, all in semantic_memory")


def reachable(host: str) -> bool:
    """Whether this machine has a network that leads there."""
    try:
        with socket.create_connection((host, 443), timeout=5):
            return True
    except (OSError, RuntimeError):
        return False
