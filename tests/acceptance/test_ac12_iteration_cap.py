"""AC12 (R13, R1): a model that always calls tools is stopped after exactly ten iterations."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.agent.loop import INABILITY
from researchassist.agent.turn import call_agent
from tests.fixture_tools import fixture_tools
from tests.scripted_llm import calls


def test_the_loop_stops_after_ten_iterations_with_the_fixed_message(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    assistant = make_assistant(calls(("get_current_time", "{}")), tools=fixture_tools(), forever=True)

    result = call_agent(assistant, "What time is it?", "t")

    assert len(assistant.model.requests) == 10
    assert result.completed is False
    assert result.final_answer == INABILITY
    last = assistant.memory.messages("t")[-1]
    assert (last.role, last.content) == ("assistant", INABILITY)
    assert result.turn.outcome == "capped"
    evidence(
        "10 model calls, completed=false, the inability message is the last row of conversational_memory"
    )
