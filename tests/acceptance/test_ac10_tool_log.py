"""AC10 (R10, D12): the log holds the whole result; the model gets an excerpt that names the log."""

import json
from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import call_agent
from tests.fixture_tools import FIXTURES, fixture_tools
from tests.scripted_llm import calls

from .conftest import SEED


def test_a_long_result_is_logged_whole_and_shown_in_part(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    arguments = '{"filename": "kestrel-notes.md"}'
    assistant = make_assistant(calls(("fetch_notes", arguments)), "Fetched.", tools=fixture_tools())

    call_agent(assistant, "Fetch the notes on Kestrel.", SEED)

    (log,) = assistant.memory.read_tool_log(SEED)
    whole = (FIXTURES / "kb" / "kestrel-notes.md").read_text(encoding="utf-8")
    whole += "\n" + (FIXTURES / "tools" / "oversized-output.txt").read_text(encoding="utf-8")
    assert log.result == whole
    assert len(log.result) > 3000
    assert json.loads(log.tool_args) == json.loads(arguments)
    assert log.status == "success"
    assert len(log.result_preview.encode()) <= 2000
    assert whole.startswith(log.result_preview)
    message = assistant.model.requests[1].messages[-1]
    excerpt, _, notice = message["content"].rpartition("\n[Cut: ")
    assert message["role"] == "tool"
    assert len(excerpt) <= 3000
    assert f"tool log {log.id}" in notice
    evidence(
        f"log row {log.id}: {len(log.result)} characters; model got {len(excerpt)} and a notice naming it"
    )
