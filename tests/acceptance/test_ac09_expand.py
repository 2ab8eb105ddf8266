"""AC9 (R9, D10): a summary opens into its text and all its originals, word for word."""

from collections.abc import Callable
from typing import Any

from researchassist.agent.assistant import Assistant
from researchassist.agent.condense import expanded
from tests.scripted_llm import ScriptedLLM

from .conftest import FIRST_MESSAGE, SEED
from .test_ac14_structured_summary import GOOD_LABEL, GOOD_SUMMARY


def test_expanding_gives_the_summary_and_all_twelve_originals(
    with_samples: Assistant,
    make_assistant: Callable[..., Assistant],
    seed_messages: list[dict[str, Any]],
    evidence: Callable[[str], None],
) -> None:
    assistant = make_assistant(writer=ScriptedLLM(GOOD_SUMMARY, GOOD_LABEL))
    record = assistant.condenser.condense_thread(SEED)[0].record

    text = expanded(assistant.memory, record.id)

    assert record.summary in text
    places = [text.index(message["content"]) for message in seed_messages]
    assert places == sorted(places)
    assert FIRST_MESSAGE in text
    for message in seed_messages:
        day, time = message["timestamp"][:10], message["timestamp"][14:16]
        assert any(
            line.startswith(f"[{day}") and time in line and message["content"][:40] in line
            for line in text.splitlines()
        )
    evidence(f"expand({record.id}): summary text and 12 originals with times, first message verbatim")
