"""AC4 (R4): of nine tools at most five are returned, the fitting one among them."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema

from researchassist.agent.assistant import Assistant
from tests.fixture_tools import fixture_tools

SCHEMAS = Path(__file__).parent.parent / "schemas" / "records.json"


def test_the_toolbox_returns_few_valid_schemas_with_paper_search(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    assistant = make_assistant(tools=fixture_tools())

    found = [
        record.as_json() for record in assistant.toolbox.find("find research papers on agent memory", k=5)
    ]

    schema = json.loads(SCHEMAS.read_text(encoding="utf-8"))
    for tool in found:
        jsonschema.validate(tool, {**schema, "$ref": "#/$defs/RetrievedToolSchema"})
    names = [tool["function"]["name"] for tool in found]
    assert len(names) <= 5
    assert len(set(names)) == len(names)
    assert "paper_search" in names
    evidence(f"{len(names)} of 9 schemas, valid and unique: {', '.join(names)}")
