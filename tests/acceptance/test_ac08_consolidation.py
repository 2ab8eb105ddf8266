"""AC8 (R3, R8, R9): condensing the seed thread marks every row once; again there is nothing to do."""

import re
from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from tests.scripted_llm import ScriptedLLM

from .conftest import SEED
from .test_ac14_structured_summary import GOOD_LABEL, GOOD_SUMMARY


def test_the_first_run_marks_all_rows_and_the_second_finds_nothing(
    with_samples: Assistant, make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    writer = ScriptedLLM(GOOD_SUMMARY, GOOD_LABEL)
    assistant = make_assistant(writer=writer)

    first = assistant.condenser.condense_thread(SEED)
    second = assistant.condenser.condense_thread(SEED)

    ids = {m.summary_id for m in assistant.memory.messages(SEED)}
    assert len(first) == 1
    assert ids == {first[0].record.id}
    assert re.fullmatch("[0-9a-f]{8}", first[0].record.id)
    assert assistant.memory.unconsolidated_messages(SEED) == []
    reading = assistant.memory.read_conversational_memory(SEED)
    assert reading.records == ()
    assert "No messages of this conversation outside the summaries." in reading.text()
    assert second == []
    assert len(writer.requests) == 2, "the second run asks no model"
    evidence(f"12 of 12 rows carry {first[0].record.id}; unconsolidated 0; second run: nothing to summarize")
