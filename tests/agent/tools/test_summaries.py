import re

import pytest

from researchassist.agent.tools.summaries import expand_summary, summarize_and_store, summarize_conversation
from researchassist.errors import ToolError, UnknownSummary


def test_a_conversation_is_condensed_but_for_the_running_question(memory, tool_context):
    assert summarize_conversation(tool_context).startswith("Nothing to summarize")
    later = memory.write_conversational_memory("A later question", "user", "alice")
    from researchassist.agent.tools.definition import ToolContext

    text = summarize_conversation(ToolContext(tool_context.assistant, later))
    assert re.search(r"\[Summary ID: [0-9a-f]{8}\]", text)
    assert [m.content for m in memory.unconsolidated_messages("alice")] == ["A later question"]


def test_a_text_is_stored_under_a_reference_and_opens_again(memory, tool_context):
    text = "Owls hunt at night. " * 20
    reference = summarize_and_store(tool_context, text)
    summary_id = re.search(r"\[Summary ID: ([0-9a-f]{8})\]", reference).group(1)
    assert text in expand_summary(tool_context, summary_id)


def test_a_long_original_opens_page_by_page(memory, tool_context):
    text = "".join(f"{n:06d} " for n in range(2000))
    summary_id = re.search(r"ID: (\w{8})", summarize_and_store(tool_context, text)).group(1)
    whole, offset = "", 0
    while offset is not None:
        page = expand_summary(tool_context, summary_id, offset)
        assert len(page) <= 2939
        found = re.search(r"^(.*)\n\[\d+ more characters; next page: .*offset=(\d+)\)\]$", page, re.DOTALL)
        whole += found.group(1) if found else page
        offset = int(found.group(2)) if found else None
    assert whole.endswith(text)


@pytest.mark.parametrize("summary_id", ["00000000", "", "{}", "{0}"])
def test_an_unknown_summary_is_told(tool_context, summary_id: str):
    with pytest.raises(UnknownSummary):
        expand_summary(tool_context, summary_id)


def test_an_offset_outside_is_told(memory, tool_context):
    summary_id = re.search(r"ID: (\w{8})", summarize_and_store(tool_context, "Owls")).group(1)
    with pytest.raises(ToolError, match="offset"):
        expand_summary(tool_context, summary_id, 99_999)
