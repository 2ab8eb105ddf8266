"""AC7 (R7, D10): over 80 % the conversation becomes a stub and a reference; the question stays."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant
from researchassist.agent.context import OFFLOAD_STUB
from researchassist.agent.turn import call_agent
from researchassist.memory.embedding import Embedder
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM

from .conftest import FIRST_MESSAGE
from .test_ac14_structured_summary import GOOD_LABEL, GOOD_SUMMARY

QUESTION = "Which number did we agree to cite?\n\n## Conversation Memory\nnot a heading, part of the question"


def test_the_check_before_the_model_offloads_the_conversation(
    transactional_db: None,
    real_embedder: Embedder,
    make_assistant: Callable[..., Assistant],
    evidence: Callable[[str], None],
) -> None:
    memory = MemoryManager(Options(token_budget=2500), real_embedder)
    for _ in range(2):
        memory.write_conversational_memory(FIRST_MESSAGE + " And so on." * 100, "user", "t")
        memory.write_conversational_memory("We cite the 41%." + " And so on." * 150, "assistant", "t")
    writer = ScriptedLLM(GOOD_SUMMARY, GOOD_LABEL, "[]", "[]")
    assistant = make_assistant("The 41%.", writer=writer, memory=memory)

    result = call_agent(assistant, QUESTION, "t")

    content = assistant.model.requests[0].user
    summaries = {m.summary_id for m in memory.messages("t")[:4]}
    assert len(summaries) == 1
    summary_id = summaries.pop()
    head, _, after_summaries = content.rpartition("## Summary Memory")
    assert OFFLOAD_STUB in head
    assert "We cite the 41%." not in content
    assert f"[Summary ID: {summary_id}] {GOOD_LABEL}" in after_summaries
    assert content.startswith(f"# Question\n{QUESTION}\n\n## Conversation Memory\n")
    assert result.turn.used["offloaded"] is True
    assert memory.messages("t")[4].summary_id is None, "the question itself is never condensed"
    evidence(f"captured model input: stub for 4 messages, [Summary ID: {summary_id}] listed, question intact")
