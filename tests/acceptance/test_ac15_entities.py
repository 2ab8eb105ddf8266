"""AC15 (R12): entities are kept after the turn; an extractor that throws leaves the answer alone."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import call_agent
from researchassist.memory.models import EntityMemory
from tests.scripted_llm import ScriptedLLM

QUESTION = "Is R. Marlow the author of Kestrel?"
ENTITIES = (
    '[{"name": "R. Marlow", "type": "PERSON", "description": "first author of the Kestrel paper"},'
    ' {"name": "Kestrel", "type": "SYSTEM", "description": "streaming memory consolidation for agents"}]'
)


def test_two_entities_are_kept_and_read_as_bullets(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    writer = ScriptedLLM(ENTITIES, "[]")
    assistant = make_assistant("Yes, with T. Iversen.", writer=writer)

    call_agent(assistant, QUESTION, "t")

    assert EntityMemory.objects.count() == 2
    lines = assistant.memory.read_entity("who wrote Kestrel?").text().splitlines()
    assert "- R. Marlow (PERSON): first author of the Kestrel paper" in lines
    assert "- Kestrel (SYSTEM): streaming memory consolidation for agents" in lines
    assert QUESTION in writer.requests[0].messages[0]["content"]
    assert "Yes, with T. Iversen." in writer.requests[1].messages[0]["content"]
    evidence("entity_memory holds 2 rows; the entity segment lists both as bullets")


def test_an_extractor_that_throws_changes_nothing_of_the_answer(
    make_assistant: Callable[..., Assistant], evidence: Callable[[str], None]
) -> None:
    assistant = make_assistant(
        "Yes, with T. Iversen.", writer=ScriptedLLM(RuntimeError("boom"), RuntimeError("boom"))
    )

    result = call_agent(assistant, QUESTION, "t")

    assert result.final_answer == "Yes, with T. Iversen."
    assert result.completed is True
    assert EntityMemory.objects.count() == 0
    assert assistant.memory.messages("t")[-1].content == "Yes, with T. Iversen."
    assert result.turn.helpers["entities_question"] == {"status": "failed", "error": "boom"}
    evidence("extractor raised: final answer unchanged, failure recorded on the turn")


def test_only_the_first_500_characters_are_read(make_assistant: Callable[..., Assistant]) -> None:
    writer = ScriptedLLM("[]", "[]")
    assistant = make_assistant("b" * 900, writer=writer)

    call_agent(assistant, "a" * 900, "t")

    assert "a" * 500 in writer.requests[0].messages[0]["content"]
    assert "a" * 501 not in writer.requests[0].messages[0]["content"]
    assert "b" * 501 not in writer.requests[1].messages[0]["content"]
    assert {request.max_tokens for request in writer.requests[:2]} == {2000}
