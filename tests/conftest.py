"""Parts every test may use: a memory on the test database, and an assistant with a scripted model."""

import os
from collections.abc import Callable, Iterator

import pytest

from researchassist.agent import assistant as assistants
from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.agent.tools import Tool
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options

from .scripted_llm import Script, ScriptedLLM
from .tiny_embedder import TinyEmbedder

# Playwright's sync API runs an event loop in the test's thread; Django must not mind.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(autouse=True)
def _only_loopback(socket_enabled: None) -> None:
    """No test reaches beyond this machine."""
    import pytest_socket

    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture
def options() -> Options:
    """The defaults."""
    return Options()


@pytest.fixture
def tiny_embedder() -> TinyEmbedder:
    return TinyEmbedder()


@pytest.fixture
def memory(db: None, options: Options, tiny_embedder: TinyEmbedder) -> MemoryManager:
    """Memory on the test database, with the tiny embedder."""
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
    ) -> Assistant:
        model = ScriptedLLM(*replies, forever=forever) if replies else None
        made = assistants.build(memory, model=model, writer=writer, tools=tools)
        assistants.use(made)
        return made

    yield make
    runner().wait_idle()
    assistants.use(None)
