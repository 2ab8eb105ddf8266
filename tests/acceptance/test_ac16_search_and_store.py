"""AC16 (R14, D13): an acquisition tool keeps what it finds in the same call, in bounded chunks."""

from collections.abc import Callable
from itertools import pairwise

from researchassist.agent.assistant import Assistant
from researchassist.agent.tools.definition import ToolContext
from researchassist.llm.types import ToolCall
from researchassist.memory.models import SemanticMemory
from tests.fixture_tools import FIXTURES, fixture_tools


def test_fetch_notes_leaves_chunk_rows_behind(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    assistant = make_assistant(tools=fixture_tools())
    question = assistant.memory.write_conversational_memory("Fetch it.", "user", "t")
    call = ToolCall("call_1", "fetch_notes", '{"filename": "kestrel-notes.md"}')
    assert SemanticMemory.objects.count() == 0

    result = assistant.toolbox.run(call, ToolContext(assistant, question), "source-0")

    assert result.status == "success"
    embedder = assistant.memory.embedder
    rows = list(SemanticMemory.objects.order_by("pk"))
    assert len(rows) >= 2
    for number, row in enumerate(rows):
        assert row.metadata["source"] == "kestrel-notes.md"
        assert row.metadata["chunk_id"] == number
        assert row.metadata["num_chunks"] == len(rows)
        assert row.metadata["timestamp"]
        assert len(row.text) <= 1500
        assert embedder.count_tokens(row.text) <= embedder.max_tokens
    whole = (FIXTURES / "kb" / "kestrel-notes.md").read_text(encoding="utf-8")
    for row in rows:
        assert whole[row.metadata["start"] : row.metadata["end"]] == row.text
    for one, two in pairwise(rows):
        assert one.metadata["end"] - two.metadata["start"] <= 200
    assert (assistant.options.chunk_chars, assistant.options.chunk_overlap) == (1500, 200)
    evidence(f"{len(rows)} rows within the call, {[len(row.text) for row in rows]} characters")
