import pytest

from researchassist.agent.tools.entities import remember_entity
from researchassist.errors import ToolError
from researchassist.memory.models import EntityMemory


def test_it_remembers_and_says_what(tool_context, memory):
    assert (
        remember_entity(tool_context, "Marlow", "PERSON", "An author.")
        == "Remembered Marlow (PERSON): An author."
    )
    assert memory.read_entity("Marlow").records[0].description == "An author."


@pytest.mark.parametrize("name", ["", "  ", "\x00"])
def test_a_name_is_needed(tool_context, name: str):
    with pytest.raises(ToolError, match="name"):
        remember_entity(tool_context, name, "PERSON", "Nobody.")
    assert not EntityMemory.objects.exists()
