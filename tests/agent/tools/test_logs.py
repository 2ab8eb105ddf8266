import pytest

from researchassist.agent.tools.logs import read_tool_log
from researchassist.errors import ToolError, UnknownToolLog


@pytest.fixture
def log(memory, tool_context):
    def write(result: str, thread: str = "alice"):
        memory.write_thread(thread)
        return memory.write_tool_log(thread_id=thread, tool_name="look", tool_args="{}", result=result)

    return write


def test_a_short_log_is_one_page(tool_context, log):
    assert read_tool_log(tool_context, log("An owl.").id) == "An owl."


def test_every_page_fits_the_excerpt(tool_context, log):
    assert len(read_tool_log(tool_context, log("x" * 9000).id)) <= 2939


@pytest.mark.parametrize("offset", [-1, 7, 99])
def test_an_offset_outside_is_told(tool_context, log, offset: int):
    with pytest.raises(ToolError, match="between 0 and 6"):
        read_tool_log(tool_context, log("An owl.").id, offset)


def test_an_empty_log_is_empty(tool_context, log):
    assert read_tool_log(tool_context, log("").id) == ""


def test_another_conversations_log_is_not_read(tool_context, log):
    with pytest.raises(UnknownToolLog):
        read_tool_log(tool_context, log("secret", "charlie").id)
