"""What the acceptance tests share: the real packaged embedding model, the fixtures, a scripted model.

Each criterion leaves one line of evidence through `evidence`, printed by `make acceptance`.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from researchassist.agent import assistant as assistants
from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.agent.samples import ingest_samples
from researchassist.agent.tools import Tool
from researchassist.memory.embedding import Embedder, packaged
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from researchassist.papers.sources import Sources
from tests.scripted_llm import Script, ScriptedLLM

FIXTURES = Path(settings.BASE_DIR) / "fixtures"
SEED = "seed-01"
FIRST_MESSAGE = "Find the Kestrel paper about streaming memory consolidation."


@pytest.fixture(scope="session")
def real_embedder() -> Embedder:
    """The packaged model, loaded once."""
    return packaged()


@pytest.fixture
def memory(transactional_db: None, real_embedder: Embedder) -> MemoryManager:
    """Memory on a database file, with the real packaged model."""
    return MemoryManager(Options(), real_embedder)


@pytest.fixture
def make_assistant(memory: MemoryManager) -> Iterator[Callable[..., Assistant]]:
    """An assistant whose loop model plays the replies; `writer` plays the writer model."""

    def make(
        *replies: Script,
        writer: ScriptedLLM | None = None,
        tools: list[Tool] | None = None,
        forever: bool = False,
        memory: MemoryManager = memory,
        sources: Sources | None = None,
    ) -> Assistant:
        made = assistants.build(
            memory,
            model=ScriptedLLM(*replies, forever=forever) if replies else None,
            writer=writer,
            tools=tools,
            sources=sources,
        )
        assistants.use(made)
        return made

    yield make
    runner().wait_idle()
    assistants.use(None)


@pytest.fixture
def with_samples(make_assistant: Callable[..., Assistant]) -> Assistant:
    """An assistant whose memory holds the fixture notes and the seed conversation."""
    assistant = make_assistant()
    list(ingest_samples(assistant, FIXTURES))
    return assistant


@pytest.fixture
def seed_messages() -> list[dict[str, Any]]:
    """The authored messages of the seed conversation."""
    seed = json.loads((FIXTURES / "conversation" / "seed-thread.json").read_text(encoding="utf-8"))
    return list(seed["messages"])


@pytest.fixture
def evidence(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Keeps what was looked at, for the line `make acceptance` prints."""
    return lambda text: record_property("evidence", text)
