"""Parts every test may use: a memory on the test database, and an assistant with a scripted model."""

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from pytest_httpserver import HTTPServer

from researchassist.agent import assistant as assistants
from researchassist.agent import sessions
from researchassist.agent.assistant import Assistant
from researchassist.agent.budget import weigh
from researchassist.agent.runner import runner
from researchassist.agent.tools import Tool
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from researchassist.papers.sources import Sources

from .scripted_llm import Script, ScriptedLLM
from .tiny_embedder import TinyEmbedder

CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Playwright's sync API runs an event loop in the test's thread; Django must not mind.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


_PAGES = {"browser", "server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of real pages and servers never run beside each other: they wait for what they see, and
    two browsers on two processors wait too long."""
    for item in items:
        if _PAGES & set(item.path.parts):
            item.add_marker(pytest.mark.xdist_group("pages"))


@pytest.fixture(autouse=True)
def _only_loopback(socket_enabled: None) -> None:
    """No test reaches beyond this machine."""
    import pytest_socket

    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def make_httpserver(httpserver_listen_address: tuple[str, int]) -> Iterator[HTTPServer]:
    """The HTTP server of pytest-httpserver, answering several requests at once as real ones do."""
    host, port = httpserver_listen_address
    server = HTTPServer(host=host or HTTPServer.DEFAULT_LISTEN_HOST, port=port or 0, threaded=True)
    server.start()
    yield server
    server.clear()
    server.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, started once; a test takes a context of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def options() -> Options:
    """The defaults."""
    return Options()


@pytest.fixture
def tiny_embedder() -> TinyEmbedder:
    return TinyEmbedder()


@pytest.fixture
def memory(transactional_db: None, options: Options, tiny_embedder: TinyEmbedder) -> MemoryManager:
    """Memory on the test database file, with the tiny embedder; tools run on threads of their own."""
    return MemoryManager(options, tiny_embedder)


@pytest.fixture
def assistant_with(memory: MemoryManager) -> Iterator[Callable[..., Assistant]]:
    """Makes the process' assistant: its model plays the replies, `writer` writes (None: no writer).

    `assistant.model` is then the ScriptedLLM with what it was asked.
    """

    def make(
        *replies: Script,
        writer: ScriptedLLM | None = None,
        tools: list[Tool] | None = None,
        forever: bool = False,
        memory: MemoryManager = memory,
        sources: Sources | None = None,
        count: Callable[[str], int] = weigh,
    ) -> Assistant:
        model = ScriptedLLM(*replies, forever=forever) if replies else None
        made = assistants.build(memory, model=model, writer=writer, tools=tools, sources=sources, count=count)
        assistants.use(made)
        return made

    yield make
    runner().wait_idle()
    sessions.wait_idle()
    assistants.use(None)
