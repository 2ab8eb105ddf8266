"""An assistant whose models are served over HTTP by tests/fake_model_server.py."""

import logging
from collections.abc import Callable, Iterator

import pytest
from pytest_httpserver import HTTPServer

from researchassist.agent import assistant as assistants
from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.agent.tools import define
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.fake_model_server import LOOP, WRITER, FakeModelServer
from tests.tiny_embedder import TinyEmbedder

KEY = "sk-SECRET-123"
PLAIN = "The pump failed because the seal cracked."

logging.getLogger("werkzeug").setLevel(logging.WARNING)

ran: list[tuple[str, dict[str, object]]] = []


def list_documents() -> str:
    """List the documents in memory."""
    ran.append(("list_documents", {}))
    return "pump.md"


def search_documents(query: str, limit: int = 5) -> str:
    """Search the documents in memory by words."""
    ran.append(("search_documents", {"query": query, "limit": limit}))
    return f"nothing on {query}"


def remember(text: str) -> str:
    """Remember a fact for later."""
    ran.append(("remember", {"text": text}))
    return "remembered"


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[FakeModelServer]:
    made = FakeModelServer(httpserver)
    yield made
    made.hold.set()
    assert made.problems == [], "a real server would have refused this history"


@pytest.fixture
def served(transactional_db: None, server: FakeModelServer) -> Iterator[Callable[..., Assistant]]:
    """Makes the process' assistant on the server; keyword arguments are options."""
    ran.clear()

    def make(*, retries: int = 0, **options: object) -> Assistant:
        memory = MemoryManager(Options(**options), TinyEmbedder())

        def model(name: str) -> OpenAICompatibleModel:
            return OpenAICompatibleModel(name, key=KEY, base_url=server.url, retries=retries)

        tools = [define(list_documents), define(search_documents), define(remember, changes_memory=True)]
        made = assistants.build(memory, model=model(LOOP), writer=model(WRITER), tools=tools)
        assistants.use(made)
        return made

    yield make
    runner().wait_idle()
    assistants.use(None)
