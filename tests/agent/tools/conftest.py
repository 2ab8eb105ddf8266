"""What the tests of tools share: a context as the harness hands it over."""

import pytest

from researchassist.agent.tools.definition import ToolContext


@pytest.fixture
def tool_context(memory, assistant_with) -> ToolContext:
    """A turn of Alice's that runs."""
    question = memory.write_conversational_memory("The running question about owls", "user", "alice")
    return ToolContext(assistant_with("unused"), question)
