"""AC14 (R8): a summary has the four headings, an 8-character id and a specific label."""

import re
from collections.abc import Callable

import pytest

from researchassist.agent.assistant import Assistant
from researchassist.agent.summaries import acceptable_label
from tests.scripted_llm import ScriptedLLM

from .conftest import SEED

HEADINGS = ["Technical Information", "Emotional Context", "Entities & References", "Action Items & Decisions"]
GOOD_LABEL = "Kestrel paper KX-2025-011: agreed to cite the 41% and ablation"
GOOD_SUMMARY = """### Technical Information
- Tiered summary ledgers cut resumption errors by 41% on synthetic long-horizon tasks.

### Emotional Context
- Some frustration about a table that could not be found.

### Entities & References
- Kestrel KX-2025-011, kestrel-notes.md; Heron HX-2024-007.

### Action Items & Decisions
- Cite the 41% and the ablation; compare with Heron on 2025-11-14."""


def test_a_scripted_summary_is_stored_with_headings_id_and_label(
    with_samples: Assistant, make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    writer = ScriptedLLM(GOOD_SUMMARY, GOOD_LABEL)
    assistant = make_assistant(writer=writer)

    record = assistant.condenser.condense_thread(SEED)[0].record

    assert re.findall(r"^### (.+)$", record.summary, re.MULTILINE) == HEADINGS
    assert re.fullmatch("[0-9a-f]{8}", record.id)
    assert record.description == GOOD_LABEL
    assert 8 <= len(record.description.split()) <= 12
    assert [request.max_tokens for request in writer.requests] == [4000, 2000]
    evidence(f"summary {record.id}: four headings; label of {len(record.description.split())} words")


@pytest.mark.parametrize(
    "label",
    ["Conversation summary", "Summary of the conversation about a few different things here", "Too short"],
)
def test_general_labels_are_rejected_and_replaced(
    label: str, with_samples: Assistant, make_assistant: Callable[..., Assistant]
) -> None:
    assistant = make_assistant(writer=ScriptedLLM(GOOD_SUMMARY, label))

    record = assistant.condenser.condense_thread(SEED)[0].record

    assert not acceptable_label(label)
    assert record.description != label
    assert acceptable_label(record.description)


def test_a_model_that_returns_nothing_is_asked_once_more_then_done_without(
    with_samples: Assistant, make_assistant: Callable[..., Assistant]
) -> None:
    writer = ScriptedLLM("", "", "")
    assistant = make_assistant(writer=writer)

    condensed = assistant.condenser.condense_thread(SEED)[0]

    assert len(writer.requests) == 3, "the prompt, the simpler prompt, the label"
    assert re.findall(r"^### (.+)$", condensed.record.summary, re.MULTILINE) == HEADINGS
    assert acceptable_label(condensed.record.description)
    assert condensed.problem
