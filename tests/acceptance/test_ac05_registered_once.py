"""AC5 (R5): registering a tool again leaves one row."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.memory.models import ToolboxMemory
from tests.fixture_tools import paper_search


def test_registering_paper_search_twice_leaves_one_row(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    toolbox = make_assistant(tools=[]).toolbox

    first = toolbox.register(paper_search)
    second = toolbox.register(paper_search)

    assert first == second
    assert ToolboxMemory.objects.filter(name="paper_search").count() == 1
    evidence("toolbox_memory holds exactly 1 row named paper_search")
