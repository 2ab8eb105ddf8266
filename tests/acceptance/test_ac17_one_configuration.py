"""AC17 (R4, R15): one distance for every store, and one place for k."""

import re
from collections.abc import Callable
from pathlib import Path

from researchassist.agent.assistant import Assistant
from researchassist.memory.embedding import Embedder
from researchassist.memory.manager import MemoryManager
from researchassist.options import DISTANCE, Options
from tests.fixture_tools import fixture_tools

PACKAGE = Path(__file__).parent.parent.parent / "researchassist"


def test_every_vector_store_reports_the_same_distance(
    memory: MemoryManager, evidence: Callable[[str], None]
) -> None:
    stores = memory.vector_stores()

    assert {store.name for store in stores} == {
        "semantic_memory",
        "workflow_memory",
        "toolbox_memory",
        "entity_memory",
        "summary_memory",
    }
    assert {store.distance for store in stores} == {DISTANCE} == {"cosine"}
    evidence("5 vector stores (the toolbox among them) report cosine; toolbox_k stands once, in options.py")


def test_the_toolbox_follows_the_single_option_for_k(
    transactional_db: None, real_embedder: Embedder, make_assistant: Callable[..., Assistant]
) -> None:
    memory = MemoryManager(Options(toolbox_k=2), real_embedder)
    assistant = make_assistant(tools=fixture_tools(), memory=memory)

    assert len(assistant.toolbox.find("find research papers on agent memory")) == 2
    assert Options().toolbox_k == 5


def test_distance_k_and_budget_are_each_written_in_one_place() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    for pattern in (r'"cosine"', r"toolbox_k: int", r"256_000|256000"):
        places = [path.name for path, source in sources.items() if re.search(pattern, source)]
        assert places == ["options.py"], pattern
