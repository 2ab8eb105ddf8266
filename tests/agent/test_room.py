"""What gives way when a request is too long, and in which order."""

from researchassist.agent.turn import call_agent
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM


def filled(tiny_embedder, **more) -> MemoryManager:
    memory = MemoryManager(Options(token_budget=4000, knowledge_k=8, **more), tiny_embedder)
    for number in range(8):
        memory.write_knowledge_base(
            f"Owls {number} hunt. " + "x" * 1200, {"source": "owls.md", "title": "Owls"}
        )
    for number in range(4):
        memory.write_conversational_memory(f"Earlier word {number}", "user", "alice")
    return memory


def test_passages_over_their_line_are_left_out_last_and_counted(assistant_with, tiny_embedder):
    assistant = assistant_with(
        "An owl.", memory=filled(tiny_embedder), writer=ScriptedLLM("[]", forever=True)
    )
    call_agent(assistant, "Which owls hunt?", "alice")
    [request] = assistant.model.requests
    assert "Earlier word" not in request.user.split("## Summary Memory")[0]
    assert "left out here, to stay within the budget.]" in request.user
    assert request.user.startswith("# Question\nWhich owls hunt?")


def test_under_paging_the_messages_go_first_too_and_are_counted(assistant_with, tiny_embedder):
    memory = filled(tiny_embedder, context_policy="page")
    assistant = assistant_with("An owl.", memory=memory)
    call_agent(assistant, "Which owls hunt?", "alice")
    [request] = assistant.model.requests
    assert "[4 earlier messages of this conversation not shown here; recall_search" in request.user
    assert "left out here, to stay within the budget.]" in request.user


def test_nothing_gives_way_while_all_fits(assistant_with, tiny_embedder):
    memory = MemoryManager(Options(allow_knowledge_base=10), tiny_embedder)
    memory.write_knowledge_base("Owls hunt. " + "x" * 1200, {"source": "owls.md", "title": "Owls"})
    assistant = assistant_with("An owl.", memory=memory)
    call_agent(assistant, "Which owls hunt?", "alice")
    assert "left out here" not in assistant.model.requests[0].user
