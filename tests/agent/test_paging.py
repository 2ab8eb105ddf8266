"""The policy `page`: eviction after the answer, recall word for word, a running summary in their place."""

from researchassist.agent.budget import weigh
from researchassist.agent.context import assemble
from researchassist.agent.paging import Pager, made_to_fit
from researchassist.agent.run import MEMORY_TOOLS
from researchassist.agent.turn import call_agent
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM, calls

SUMMARY = "Alice asked about the first and the second thing."


def paged(**more) -> Options:
    return Options(**{"context_policy": "page", "token_budget": 1000, "page_turns": 1, **more})


def of(assistant_with, tiny_embedder, *replies, writer=None, count=None, **more):
    memory = MemoryManager(paged(**more), tiny_embedder)
    return assistant_with(*replies, writer=writer, memory=memory, forever=True, count=count or weigh)


def count_questions(text: str) -> int:
    """A stub: 300 tokens for each question of the play among the messages, nothing for all else."""
    return 300 * text.count("user: Tell me")


def summaries_asked(writer: ScriptedLLM) -> list[str]:
    prompts = [str(request.messages[0]["content"]) for request in writer.requests]
    return [prompt for prompt in prompts if prompt.startswith("The window is full")]


def replying(prompt_reply: str):
    """A writer that summarises with this text and finds no entities."""

    def reply(messages):
        asked = str(messages[0]["content"])
        return prompt_reply if asked.startswith("The window is full") else "[]"

    return ScriptedLLM(reply, forever=True)


def test_the_threshold_is_crossed_on_turn_three(assistant_with, tiny_embedder):
    writer = replying(SUMMARY)
    assistant = of(
        assistant_with, tiny_embedder, "Noted.", writer=writer, count=count_questions, page_target_percent=65
    )
    for number in (1, 2):
        call_agent(assistant, f"Tell me of thing-{number}", "alice")
        assert summaries_asked(writer) == []
    call_agent(assistant, "Tell me of thing-3", "alice")

    [prompt] = summaries_asked(writer)
    assert "thing-1" in prompt
    assert "thing-3" not in prompt
    oldest = assistant.memory.messages("alice")[:2]
    assert [message.content for message in oldest] == ["Tell me of thing-1", "Noted."]
    assert all(message.summary_id for message in oldest)
    found = assistant.memory.recall_messages("thing-1").hits
    assert "Tell me of thing-1" in [hit.message.content for hit in found]

    call_agent(assistant, "And now?", "alice")
    request = assistant.model.requests[-1]
    assert "thing-1" not in request.user.split("## Summary Memory")[0]
    assert "Tell me of thing-3" in request.user
    assert request.system.rstrip().split("Running summary of this conversation")[1].count(SUMMARY) == 1
    [eviction] = assistant.memory.evictions("alice")
    assert (eviction.tokens_before, eviction.tokens_after, eviction.messages) == (900, 600, 2)


def test_the_running_summary_survives_a_restart(assistant_with, tiny_embedder):
    assistant = of(assistant_with, tiny_embedder, "Noted.", writer=replying(SUMMARY), count=count_questions)
    for number in range(3):
        call_agent(assistant, f"Tell me of thing-{number}", "alice")
    again = of(assistant_with, tiny_embedder, "Noted.", count=count_questions)
    call_agent(again, "And now?", "alice")
    assert SUMMARY in again.model.requests[-1].system


def test_the_latest_turns_stay_verbatim_while_the_budget_allows_it(assistant_with, tiny_embedder):
    assistant = of(
        assistant_with, tiny_embedder, "Noted.", writer=replying(SUMMARY), count=count_questions,
        page_turns=2, page_target_percent=5,
    )  # fmt: skip
    for number in range(3):
        call_agent(assistant, f"Tell me of thing-{number}", "alice")
    left = [message.content for message in assistant.memory.unconsolidated_messages("alice")]
    assert left == ["Tell me of thing-1", "Noted.", "Tell me of thing-2", "Noted."]


def test_they_yield_to_the_budget_but_the_last_turn_stays(assistant_with, tiny_embedder):
    memory = MemoryManager(paged(page_turns=3), tiny_embedder)
    for number in range(3):
        memory.write_conversational_memory(f"Tell me of thing-{number}", "user", "alice")
        memory.write_conversational_memory("Noted.", "assistant", "alice")
    pager = Pager(memory, None, lambda text: 800 * text.count("user: Tell me of"))
    pager.evict("alice", beside=0)
    left = [message.content for message in memory.unconsolidated_messages("alice")]
    assert left == ["Tell me of thing-2", "Noted."]


def test_a_long_thread_is_folded_in_whole_messages_over_several_turns(tiny_embedder, transactional_db):
    memory = MemoryManager(paged(token_budget=300, summary_input_chars=500), tiny_embedder)
    for number in range(40):
        memory.write_conversational_memory(f"thing-{number} " + "word " * 60, "user", "alice")
    pager = Pager(memory, None, weigh)
    assert len(pager.evict("alice", beside=0)) == 8
    assert len(memory.unconsolidated_messages("alice")) == 32
    while pager.evict("alice", beside=0):
        pass
    assert len(memory.evictions("alice")) == 39
    assert [one.number for one in memory.evictions("alice")] == list(range(1, 40))
    covered = [one for one in memory.messages("alice") if one.summary_id]
    assert [memory.messages_of_summary(one.summary_id) for one in covered] == [[one] for one in covered]


def test_of_two_that_evict_at_once_one_does(tiny_embedder, transactional_db):
    memory = MemoryManager(paged(), tiny_embedder)
    for number in range(3):
        memory.write_conversational_memory(f"Tell me of thing-{number}", "user", "alice")

    def meanwhile(messages):
        Pager(memory, None, count_questions).evict("alice", beside=300)
        return SUMMARY

    late = Pager(memory, ScriptedLLM(meanwhile), count_questions)
    assert late.evict("alice", beside=300) == []
    assert [one.messages for one in memory.evictions("alice")] == [2]


def test_a_turn_above_the_threshold_leaves_the_oldest_out_counts_them_and_waits_for_no_model(
    assistant_with, tiny_embedder
):
    assistant = of(assistant_with, tiny_embedder, "Noted.", count=count_questions, writer=ScriptedLLM())
    for number in range(5):
        assistant.memory.write_conversational_memory(f"Tell me of thing-{number}", "user", "alice")
    turn = call_agent(assistant, "And now?", "alice").turn
    [request] = assistant.model.requests
    assert "[3 earlier messages of this conversation not shown here; recall_search" in request.user
    assert "thing-3" in request.user
    assert "thing-2" not in request.user
    assert turn.used["left_out"]["conversation"] == 3


def test_as_few_messages_as_needed_are_left_out(memory):
    for number in range(10):
        memory.write_conversational_memory(f"thing-{number}", "user", "alice")
    context = assemble(memory, memory.write_conversational_memory("?", "user", "alice"), "source-1")
    shorter = made_to_fit(context, lambda one: len(one.conversation.records) <= 4, 8000)
    assert [one.content for one in shorter.conversation.records] == [f"thing-{n}" for n in range(6, 10)]
    assert made_to_fit(context, lambda _: True, 8000) is context
    assert made_to_fit(context, lambda _: False, 8000).conversation.records == ()


def test_the_five_memory_tools_stand_beside_the_k(assistant_with, tiny_embedder):
    assistant = of(assistant_with, tiny_embedder, "Noted.", token_budget=0)
    call_agent(assistant, "Search arXiv for owls", "alice")
    names = assistant.model.requests[0].tool_names
    assert names[5:] == list(MEMORY_TOOLS)
    assert len(set(names)) == 10


def test_after_six_calls_the_model_answers_without_tools(assistant_with, tiny_embedder):
    script = [calls(("get_current_time", "{}"))] * 6
    assistant = of(assistant_with, tiny_embedder, *script, "It is late.", token_budget=0)
    result = call_agent(assistant, "What time is it?", "alice")
    assert (result.final_answer, result.turn.outcome, len(result.steps)) == ("It is late.", "answered", 6)
    last = assistant.model.requests[-1]
    assert last.tools == []
    assert last.messages[-1]["role"] == "user"


def test_calls_beyond_the_sixth_are_answered_but_not_run(assistant_with, tiny_embedder):
    many = calls(*[("get_current_time", "{}")] * 8)
    assistant = of(assistant_with, tiny_embedder, many, "It is late.", token_budget=0)
    turn = call_agent(assistant, "What time is it?", "alice").turn
    logs = assistant.memory.tool_logs_of_turn(turn.id)
    assert [log.status for log in logs] == ["success"] * 6 + ["failed"] * 2
    answered = [m for m in assistant.model.requests[-1].messages if m["role"] == "tool"]
    assert len(answered) == 8


def test_a_model_that_goes_on_calling_without_tools_ends_at_the_limit(assistant_with, tiny_embedder):
    script = calls(("get_current_time", "{}"))
    assistant = of(assistant_with, tiny_embedder, script, token_budget=0)
    result = call_agent(assistant, "What time is it?", "alice")
    assert (result.completed, len(assistant.model.requests)) == (False, 7)
