import json
import threading
import time

import pytest
from django.db import connections

from researchassist.agent import assistant as assistants
from researchassist.agent.events import (
    ContextRead,
    TextAdded,
    TextSetAside,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from researchassist.agent.loop import CUT_CALL, EMPTY_ANSWER, INABILITY
from researchassist.agent.tools import default_tools, define, working
from researchassist.agent.tools.definition import ToolContext
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.errors import ModelError, TurnRefused, UnknownTurn
from researchassist.llm.types import LENGTH, Reply, ToolCall, Usage
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import ConversationalMemory, Turn
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM, calls
from tests.tiny_embedder import TinyEmbedder

NOW = ("get_current_time", "{}")


def crash() -> str:
    """Crash without a reason."""
    raise ValueError("a bug in a tool")


def nap(context: ToolContext) -> str:
    """Take a nap."""
    time.sleep(0.3)
    return "rested"


def learn_fact(context: ToolContext, fact: str) -> str:
    """Learn a fact."""
    context.assistant.memory.write_knowledge_base(fact, {"source": "told.md", "title": "Told"})
    return "learned"


def run(assistant, query: str = "Who hunts at night?", thread: str = "alice", **request) -> list:
    stopped = request.pop("stopped", lambda: False)
    return list(stream_turn(assistant, TurnRequest(thread, query, **request), stopped))


def ended(events) -> TurnEnded:
    [event] = [event for event in events if isinstance(event, TurnEnded)]
    return event


def contents(memory, thread: str = "alice") -> list[tuple[str, str]]:
    return [(m.role, m.content) for m in memory.messages(thread)]


# The way of a turn


@pytest.mark.django_db(transaction=True)
def test_the_question_is_committed_before_the_first_model_call(assistant_with, memory):
    seen = []
    assistant = assistant_with(lambda _: seen.append(contents(memory)) or "An owl.")
    call_agent(assistant, "Who hunts at night?", "alice")
    assert seen == [[("user", "Who hunts at night?")]]


def test_a_turn_keeps_question_and_answer(assistant_with, memory):
    result = call_agent(assistant_with("An owl."), "Who hunts at night?", "alice")
    assert (result.final_answer, result.completed, result.steps) == ("An owl.", True, ())
    assert contents(memory) == [("user", "Who hunts at night?"), ("assistant", "An owl.")]
    assert memory.sizes()["workflow_memory"] == 0


def test_events_come_in_order(assistant_with):
    kinds = [type(event).__name__ for event in run(assistant_with(calls(NOW, text="Let me look."), "Noon."))]
    assert kinds[:8] == [
        "TurnStarted", "ContextRead", "TextAdded", "TextSetAside", "ToolStarted", "ToolEnded",
        "TextAdded", "TurnEnded",
    ]  # fmt: skip
    assert set(kinds[8:]) == {"HelperEnded"}


def test_a_tool_that_takes_long_tells_how_far_it_is_and_its_words_are_kept(assistant_with, memory):
    @working("Counting {kind}")
    def count(context: ToolContext, kind: str) -> str:
        """Count birds."""
        context.tell("12 so far")
        return "40"

    assistant = assistant_with(
        calls(("count", '{"kind": "owls"}'), text="Let me count."), "Forty.", tools=[define(count)]
    )
    events = list(run(assistant))
    told = [event for event in events if isinstance(event, ToolStarted | ToolProgress | ToolEnded)]
    assert [type(event).__name__ for event in told] == ["ToolStarted", "ToolProgress", "ToolEnded"]
    assert (told[0].doing, told[1].words, told[2].status) == ("Counting owls", "12 so far", "success")
    assert len({event.call_id for event in told}) == 1
    [turn] = memory.turns("alice")
    [call] = turn.used["calls"]
    assert (call["doing"], call["said"]) == ("Counting owls", "Let me count.")


def test_calls_are_answered_logged_and_kept_as_one_workflow(assistant_with, memory):
    assistant = assistant_with(calls(NOW, ("get_current_time", '{"zone": "UTC"}')), "Noon.")
    result = call_agent(assistant, "What time is it?", "alice")
    assert [step.endswith("→ success") for step in result.steps] == [True, True]
    assert len(memory.tool_logs_of_turn(result.turn.id)) == 2
    [workflow] = memory.read_workflow("What time is it?").records
    assert (workflow.steps, workflow.success) == (result.steps, True)
    second = assistant.model.requests[1].messages
    asked = [call["id"] for message in second for call in message.get("tool_calls", [])]
    assert asked == [m["tool_call_id"] for m in second if m["role"] == "tool"]


def test_what_goes_back_to_the_model_is_valid_for_a_strict_server(assistant_with):
    odd = Reply(
        tool_calls=(
            ToolCall("c1", "no such tool!", "{broken"),
            ToolCall("c2", "", "[1]"),
            ToolCall("c3", "x" * 300, '{"a": "\\ud800"}'),
        )
    )
    assistant = assistant_with(odd, "Done.")
    call_agent(assistant, "Go", "alice")
    message = assistant.model.requests[1].messages[2]
    for call in message["tool_calls"]:
        function = call["function"]
        assert isinstance(json.loads(function["arguments"]), dict)
        assert 0 < len(function["name"]) <= 64
        assert function["name"].replace("_", "").replace("-", "").isalnum()
    json.dumps(assistant.model.requests[1].messages, ensure_ascii=False).encode()


def test_ids_a_server_gives_again_in_a_later_round_are_made_unique(assistant_with, memory):
    same = Reply(tool_calls=(ToolCall("call_0", *NOW),))
    assistant = assistant_with(same, same, same, "Noon.")
    call_agent(assistant, "Go", "alice")
    messages = assistant.model.requests[-1].messages
    asked = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    assert len(set(asked)) == 3
    assert asked == [m["tool_call_id"] for m in messages if m["role"] == "tool"]


def test_an_empty_text_beside_calls_is_null_not_empty(assistant_with):
    assistant = assistant_with(calls(NOW), "Noon.")
    call_agent(assistant, "Go", "alice")
    assert assistant.model.requests[1].messages[2]["content"] is None


def test_a_call_that_was_cut_is_not_run(assistant_with, memory):
    cut = Reply("", (ToolCall("c1", "remember_entity", '{"name": "Ow'),), LENGTH)
    call_agent(assistant_with(cut, "Done."), "Go", "alice")
    assert memory.read_tool_log("alice")[0].error_message == CUT_CALL


# Tools


def test_a_tool_that_changes_memory_refreshes_the_context(memory, assistant_with):
    tools = [*default_tools(), define(learn_fact, changes_memory=True)]
    assistant = assistant_with(
        calls(("learn_fact", '{"fact": "The wren hunts by day."}')), "Done.", tools=tools
    )
    events = run(assistant)
    first, second = (request.user for request in assistant.model.requests)
    assert "The wren hunts by day." not in first
    assert "The wren hunts by day." in second
    assert len([event for event in events if isinstance(event, ContextRead)]) == 2


def test_a_tool_that_changes_nothing_leaves_the_context(assistant_with):
    assistant = assistant_with(calls(NOW), "Noon.")
    run(assistant)
    assert assistant.model.requests[0].user == assistant.model.requests[1].user


def test_what_the_toolbox_finds_can_be_called_next(assistant_with):
    assistant = assistant_with(
        calls(("read_toolbox", '{"query": "condense a long text into a stored summary"}')), "Done."
    )
    run(assistant, "Remember that Marlow is an author")
    first, second = (set(request.tool_names) for request in assistant.model.requests)
    assert len(first) == 5
    assert "read_toolbox" in first
    assert first < second
    assert "summarize_and_store" in second


def test_a_summary_that_was_just_made_can_be_opened_next(assistant_with, memory):
    for number in range(4):
        memory.write_conversational_memory(f"earlier {number}", "user", "alice")
    tools = [*default_tools(), *(_filler(number) for number in range(9))]
    assistant = assistant_with(calls(("summarize_conversation", "{}")), "Done.", tools=tools)
    run(assistant, "filler filler filler")
    first, second = assistant.model.requests
    assert "expand_summary" not in first.tool_names
    assert "[Summary ID: " in second.user
    assert "expand_summary" in second.tool_names


def _filler(number: int):
    def filler() -> str:
        """Filler filler filler."""
        return ""

    filler.__name__ = f"filler_{number}"
    return define(filler)


def test_expanding_is_offered_whenever_a_summary_is_listed(assistant_with, memory):
    memory.write_summary(full_content="x", summary="y", description="About owls", thread_id=None)
    assistant = assistant_with("Done.")
    run(assistant, "What time is it in Oslo?")
    assert {"expand_summary", "read_toolbox"} <= set(assistant.model.requests[0].tool_names)
    assert len(assistant.model.requests[0].tools) == 5


def test_recall_is_offered_whenever_messages_are_hidden(assistant_with, memory):
    for number in range(12):
        memory.write_conversational_memory(f"earlier {number}", "user", "alice")
    assistant = assistant_with("Done.")
    run(assistant, "What time is it in Oslo?")
    assert "recall_search" in assistant.model.requests[0].tool_names


# Refusals


@pytest.mark.parametrize("query", ["", "  \n ", "\x00", "\u2003"])
def test_an_empty_question_is_refused_and_nothing_stored(assistant_with, query: str):
    with pytest.raises(TurnRefused) as refused:
        run(assistant_with("x"), query)
    assert refused.value.reason == "empty"
    assert not ConversationalMemory.objects.exists()


def test_a_question_over_its_allowance_is_refused_and_nothing_stored(assistant_with):
    with pytest.raises(TurnRefused) as refused:
        run(assistant_with("x"), "x" * 400_000)
    assert refused.value.reason == "too_long"
    assert "as a document" in str(refused.value)
    assert not ConversationalMemory.objects.exists()


def test_a_question_of_odd_characters_is_kept_as_what_can_be(assistant_with, memory):
    run(assistant_with("Yes."), "a\x00\ud83d\ude00\ud800?")
    assert contents(memory)[0] == ("user", "a😀\ufffd?")


def test_a_second_question_meanwhile_is_refused(assistant_with, memory):
    assistant = assistant_with("x")
    stream = stream_turn(assistant, TurnRequest("alice", "One"))
    next(stream)
    with pytest.raises(TurnRefused) as refused:
        run(assistant, "Two")
    assert refused.value.reason == "busy"
    assert contents(memory) == [("user", "One")]
    stream.close()


def test_the_same_form_sent_again_finds_its_turn(assistant_with, memory):
    assistant = assistant_with("An owl.")
    first = run(assistant, key="form")[0]
    again = run(assistant, key="form")
    assert again == [TurnStarted(first.turn_id, "alice", new=False)]
    assert len(contents(memory)) == 2


@pytest.mark.django_db(transaction=True)
def test_the_same_form_sent_twice_at_once_is_one_turn(assistant_with, memory):
    assistant, barrier, started = assistant_with("An owl.", forever=True), threading.Barrier(4), []
    by_key = memory.turn_by_key

    def look_together(key: str):
        found = by_key(key)
        if threading.current_thread().name.startswith("form") and not barrier.broken:
            try:
                barrier.wait(2)
            except threading.BrokenBarrierError:
                pass
            finally:
                barrier.abort()
        return found

    memory.turn_by_key = look_together

    def send() -> None:
        try:
            stream = stream_turn(assistant, TurnRequest("alice", "Who?", key="form"))
            started.append(next(stream))
            list(stream)
        except TurnRefused as refused:
            started.append(refused)
        connections.close_all()

    threads = [threading.Thread(target=send, name=f"form-{n}") for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({event.turn_id for event in started}) == 1
    assert [event.new for event in started].count(True) == 1
    assert Turn.objects.count() == 1


# Ends


def test_the_cap_ends_with_the_fixed_message(assistant_with, memory):
    assistant = assistant_with(calls(NOW), forever=True)
    result = call_agent(assistant, "Go", "alice")
    assert (result.completed, result.final_answer, len(result.steps)) == (False, INABILITY, 10)
    assert len(assistant.model.requests) == 10
    assert contents(memory)[-1] == ("assistant", INABILITY)
    assert result.turn.outcome == "capped"
    assert not memory.read_workflow("Go").records[0].success


def with_options(assistant_with, *replies, tools=None, forever=False, **options):
    memory = MemoryManager(Options(**options), TinyEmbedder())
    return assistant_with(*replies, tools=tools, forever=forever, memory=memory)


def test_at_the_cap_one_more_request_without_tools_may_be_made(db, assistant_with):
    assistant = with_options(
        assistant_with, calls(NOW), calls(NOW), "As far as I know.", max_iterations=2, at_cap="finalize"
    )
    result = call_agent(assistant, "Go", "alice")
    assert (result.completed, result.final_answer) == (False, "As far as I know.")
    last = assistant.model.requests[-1]
    assert (len(assistant.model.requests), last.tools) == (3, [])
    assert last.messages[-1]["role"] == "user"


def test_a_last_request_that_says_nothing_ends_with_the_fixed_message(db, assistant_with):
    assistant = with_options(assistant_with, calls(NOW), "", max_iterations=1, at_cap="finalize")
    assert call_agent(assistant, "Go", "alice").final_answer == INABILITY


def test_the_time_limit_ends_a_silent_model(db, assistant_with):
    assistant = with_options(assistant_with, "Too late.", turn_seconds=0.3)
    assistant.model.gate = threading.Event()
    started = time.monotonic()
    result = call_agent(assistant, "Go", "alice")
    assistant.model.gate.set()
    assert time.monotonic() - started < 2
    assert (result.turn.outcome, result.final_answer) == ("timed_out", INABILITY)


def test_a_stop_before_any_text_ends_without_an_answer(assistant_with, memory):
    assistant = assistant_with("Never.")
    assistant.model.gate = threading.Event()
    started = time.monotonic()
    event = ended(run(assistant, stopped=lambda: time.monotonic() > started + 0.3))
    assistant.model.gate.set()
    assert time.monotonic() - started < 1.5
    assert (event.outcome, event.answer) == ("stopped", "")
    assert contents(memory) == [("user", "Who hunts at night?")]


def test_a_stop_keeps_what_was_written(assistant_with, memory):
    texts: list[str] = []
    events = []
    for event in stream_turn(
        assistant_with("An owl hunts at night, and so does a cat."),
        TurnRequest("alice", "Who?"),
        lambda texts=texts: len(texts) >= 2,
    ):
        events.append(event)
        texts += [event.text] if isinstance(event, TextAdded) else []
    assert ended(events).outcome == "stopped"
    assert contents(memory)[-1] == ("assistant", "An owl hunts at night, a")


def test_a_stop_after_tools_does_not_take_the_words_before_them_for_the_answer(assistant_with, memory):
    done: list[object] = []
    events = []
    for event in stream_turn(
        assistant_with(calls(NOW, text="Let me look."), "Noon."),
        TurnRequest("alice", "Who?"),
        lambda done=done: bool(done),
    ):
        events.append(event)
        done += [event] if isinstance(event, ToolEnded) else []
    assert any(isinstance(event, TextSetAside) for event in events)
    assert (ended(events).outcome, ended(events).answer) == ("stopped", "")
    assert contents(memory) == [("user", "Who?")]


def test_a_model_error_keeps_the_question_and_what_was_written(assistant_with, memory):
    class Breaking(ScriptedLLM):
        def stream(self, messages, tools=(), max_tokens=None):
            yield "An ow"
            raise ModelError("The model server (host) broke off its answer.")

    assistant = assistants.build(memory, model=Breaking())
    events = run(assistant)
    turn = memory.turn(events[0].turn_id)
    assert ended(events).error == turn.error == "The model server (host) broke off its answer."
    assert (turn.outcome, turn.partial_text, turn.answer) == ("failed", "An ow", None)
    assert contents(memory) == [("user", "Who hunts at night?")]


def test_an_empty_answer_is_told(assistant_with, memory):
    assert ended(run(assistant_with("  \n"))).error == EMPTY_ANSWER
    assert len(contents(memory)) == 1
    with pytest.raises(ModelError):
        call_agent(assistant_with(""), "Who?", "charlie")


def test_an_unanswered_question_is_asked_again(assistant_with, memory):
    assistant = assistant_with(ModelError("It is down."), "An owl.")
    failed = run(assistant)[0].turn_id
    event = ended(run(assistant, "", retry_of=failed))
    assert event.answer == "An owl."
    assert contents(memory) == [("user", "Who hunts at night?"), ("assistant", "An owl.")]


def test_an_unknown_turn_is_not_asked_again(assistant_with):
    with pytest.raises(UnknownTurn):
        run(assistant_with("x"), "", retry_of="none")


def test_a_bug_in_a_tool_goes_to_the_model_and_the_turn_goes_on(assistant_with, memory):
    assistant = assistant_with(calls(("crash", "{}")), "I could not.", tools=[define(crash)])
    result = call_agent(assistant, "Go", "alice")
    assert result.final_answer == "I could not."
    assert result.steps == ("crash() → failed",)


STORE_METHODS = [
    "read_conversational_memory",
    "read_entity",
    "sizes",
    "write_tool_log",
    "tool",
    "finish_turn",
]


@pytest.mark.parametrize("method", STORE_METHODS)
def test_a_bug_in_a_store_ends_the_turn_with_a_sentence(assistant_with, memory, monkeypatch, method: str):
    assistant = assistant_with(calls(NOW), "Noon.")
    assistant.toolbox.ensure_registered()

    def broken(*_args, **_more):
        raise ValueError("a bug in a store")

    monkeypatch.setattr(memory, method, broken)
    events = run(assistant)
    assert ended(events).outcome == "failed"
    assert ended(events).error == "Something went wrong inside ResearchAssist (ValueError)."
    assert memory.turn(events[0].turn_id).outcome == "failed"
    assert contents(memory) == [("user", "Who hunts at night?")]


@pytest.mark.parametrize("after", [TurnStarted, ContextRead, TextAdded])
def test_a_stream_that_is_closed_early_ends_as_interrupted(assistant_with, memory, after):
    stream = stream_turn(assistant_with("An owl hunts at night."), TurnRequest("alice", "Who?"))
    turn_id = ""
    for event in stream:
        turn_id = event.turn_id if isinstance(event, TurnStarted) else turn_id
        if isinstance(event, after):
            break
    stream.close()
    assert memory.turn(turn_id).outcome == "interrupted"


# Budget


def test_over_the_budget_the_conversation_is_condensed_before_the_first_call(db, assistant_with):
    assistant = with_options(assistant_with, "Done.", token_budget=4000)
    for number in range(8):
        assistant.memory.write_conversational_memory(f"{number} " + "owl " * 500, "user", "alice")
    result = call_agent(assistant, "byte for byte  ", "alice")
    request = assistant.model.requests[0]
    assert request.user.startswith("# Question\nbyte for byte  \n\n")
    assert "were condensed" in request.user
    assert "[Summary ID: " in request.user
    assert "expand_summary" in request.tool_names
    assert result.turn.used["offloaded"]
    assert [m.content for m in assistant.memory.unconsolidated_messages("alice")] == [
        "byte for byte  ", "Done."
    ]  # fmt: skip


def test_old_tool_results_give_way_before_the_request_is_over_budget(db, assistant_with):
    from researchassist.agent import budget

    def recite() -> str:
        """Recite a long text."""
        return "owl " * 2000

    assistant = with_options(
        assistant_with, *[calls(("recite", "{}"))] * 6, "Done.", token_budget=6000, tools=[define(recite)]
    )
    call_agent(assistant, "Go", "alice")
    for request in assistant.model.requests:
        assert budget.request_tokens(request.messages, request.tools) < 6000 * 0.8
    assert "Left out to stay within the budget" in str(assistant.model.requests[-1].messages)


# The manifest


def test_a_turn_says_what_it_used_and_what_was_left_out(assistant_with, memory):
    for number in range(5):
        memory.write_knowledge_base(
            f"Owls {number}", {"source": "owls.md", "title": "On owls", "page": number}
        )
    reply = Reply("An owl.", usage=Usage(12, 3))
    used = call_agent(assistant_with(reply), "owls", "alice").turn.used
    assert {"title", "source", "page", "score", "text"} <= used["given"]["knowledge_base"][0].keys()
    assert used["left_out"]["knowledge_base"] == 2
    assert used["usage"] == [{"prompt": 12, "completion": 3}]
    assert (used["model"], used["budget"], used["iterations"]) == ("scripted", 256_000, 1)
    assert set(used["tokens"]) == {
        "system", "core", "question", "conversation", "knowledge_base", "workflow", "entity", "summary",
        "tools",
    }  # fmt: skip


def test_without_a_model_the_answer_is_quoted_from_memory(assistant_with, memory):
    memory.write_knowledge_base("Owls hunt at night.", {"source": "owls.md", "title": "On owls"})
    assistant = assistant_with()
    answer = call_agent(assistant, "When do owls hunt?", "alice").final_answer
    assert "> Owls hunt at night." in answer
    assert "No language model is set" in answer
