"""AC13 (R2, R16, D9): the exact model input: question first, five segments in order, the order of trust."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import call_agent

HEADINGS = (
    "## Conversation Memory",
    "## Knowledge Base Memory",
    "## Workflow Memory",
    "## Entity Memory",
    "## Summary Memory",
)
ORDER = "current question > latest conversation > knowledge-base evidence > older summaries/workflows"


def test_the_input_of_a_fresh_thread_has_all_parts_in_order(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    assistant = make_assistant("An answer.")

    call_agent(assistant, "What is known about agent memory?", "fresh")

    (request,) = assistant.model.requests
    assert [m["role"] for m in request.messages] == ["system", "user"]
    assert request.user.startswith("# Question\nWhat is known about agent memory?\n\n")
    places = [request.user.index(f"\n{heading}\n") for heading in HEADINGS]
    assert places == sorted(places)
    for heading in HEADINGS:
        segment = request.user.split(f"\n{heading}\n")[1]
        assert segment.startswith("What this is: ")
        assert "\nHow to use it: " in segment
    for heading in HEADINGS:
        assert heading in request.system
    assert ORDER in request.system
    for rule in (
        "Consult memory before any tool",
        "expand_summary",
        "not certain",
        "Never invent a citation",
    ):
        assert rule in request.system
    evidence("captured request: question first, 5 headings in order; system names all and the order of trust")
