"""AC18 (R5, D11): with augmentation the enriched text and five queries are what is embedded."""

import json
from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.memory.models import ToolboxMemory
from tests.fixture_tools import paper_search
from tests.scripted_llm import ScriptedLLM

ENRICHED = "Finds candidate research papers for a topic, title or author. Call it before reading anything."
QUERIES = [
    "find papers about agent memory",
    "who wrote the Kestrel paper",
    "is there a study on tool routing",
    "look up publications by Adeyemi",
    "search the literature for summarisation",
]


def test_the_stored_description_is_the_enriched_text_with_five_queries(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    writer = ScriptedLLM(json.dumps({"description": ENRICHED, "queries": QUERIES}))
    toolbox = make_assistant(writer=writer, tools=[]).toolbox

    toolbox.register(paper_search, augment=True)

    row = ToolboxMemory.objects.get(name="paper_search")
    assert row.description == ENRICHED
    assert row.queries == QUERIES
    for query in QUERIES:
        assert query in row.text
    assert ENRICHED in row.text
    assert "def paper_search" in writer.requests[0].messages[0]["content"], "the model saw the source"
    toolbox.register(paper_search, augment=True)
    assert len(writer.requests) == 1, "unchanged source: nothing is asked again"
    evidence(
        "toolbox_memory row paper_search: description is the enriched text; embedded text holds all 5 queries"
    )
