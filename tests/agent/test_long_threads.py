"""Long conversations under both policies: within the budget at every step, with nothing exact lost, also
where the model that summarises is bad."""

import itertools
import re
import threading

import pytest

from researchassist.agent.budget import weigh
from researchassist.agent.condense import expanded
from researchassist.agent.runner import runner
from researchassist.agent.tools.definition import ToolContext
from researchassist.agent.tools.recall import recall_search
from researchassist.agent.turn import TurnRequest, call_agent
from researchassist.errors import ModelError
from researchassist.memory.manager import MemoryManager
from researchassist.memory.text import count_words
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM

BUDGET = 8000
# Said once, at the start: an arXiv id, a DOI, a file, a code, an amount and a date.
VALUES = ("arXiv:2310.08560", "10.1000/xyz.123", "settings.yaml", "ERR-4092", "$1,250", "2026-03-14")
FIRST = (
    f"The run of {VALUES[5]}: {VALUES[0]} and {VALUES[1]}, {VALUES[2]} throws {VALUES[3]}, paid {VALUES[4]}."
)
POLICIES = ("page", "condense")


def vague(messages) -> str:
    prompt = str(messages[0]["content"])
    if "### Technical Information" in prompt:
        names = (
            "Technical Information",
            "Emotional Context",
            "Entities & References",
            "Action Items & Decisions",
        )
        return "\n\n".join(f"### {name}\n- Things were said." for name in names)
    return "Things were said."


def echo(messages) -> str:
    return str(messages[0]["content"])


def failing(messages) -> str:
    raise ModelError("The summariser is down.")


def broken():
    """Echoes, says nothing, and fails, in turn."""
    kinds = itertools.cycle([echo, lambda messages: "", failing])

    def reply(messages):
        return next(kinds)(messages)

    return reply


def always_vague():
    return vague


BAD = {"vague": always_vague, "broken": broken}


def a_memory(tiny_embedder, policy: str, **more) -> MemoryManager:
    return MemoryManager(Options(context_policy=policy, token_budget=BUDGET, **more), tiny_embedder)


def answer(messages) -> str:
    return f"Noted, that is {weigh(str(messages))} tokens. " + "It fits what was said before. " * 8


def tell(assistant, number: int):
    text = (
        FIRST
        if number == 0
        else f"Note {number}: owls and voles of valley {number} in the north. " + "Hm. " * 40
    )
    return call_agent(assistant, text, "alice")


def size(request) -> int:
    return weigh(str(request.messages) + str(request.tools))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", BAD)
def test_sixty_turns_with_a_bad_summariser_lose_nothing_and_stay_bounded(
    assistant_with, tiny_embedder, policy: str, kind: str
):
    memory = a_memory(tiny_embedder, policy)
    assistant = assistant_with(
        answer, writer=ScriptedLLM(BAD[kind](), forever=True), memory=memory, forever=True
    )
    last = [tell(assistant, number) for number in range(60)][-1].turn

    messages = memory.messages("alice")
    assert len(messages) == 120
    assert max(map(size, assistant.model.requests)) <= BUDGET * 8 // 10
    covered = [message for message in messages if message.summary_id]
    assert len(covered) >= 80
    opened = {one.summary_id: memory.messages_of_summary(one.summary_id) for one in covered}
    assert sorted(one.id for some in opened.values() for one in some) == sorted(one.id for one in covered)
    assert all(len(memory.read_summary_memory(one).summary) <= 1500 for one in opened)

    text = expanded(memory, messages[0].summary_id)
    found = recall_search(ToolContext(assistant, last.question), "settings.yaml ERR-4092 paid")
    kept = memory.read_summary_memory(messages[0].summary_id).summary
    for value in VALUES:
        assert value in text
        assert value in found
        assert value in kept
    if policy == "page":
        assert all(value in assistant.model.requests[-1].system for value in VALUES)
        assert max(count_words(one.prose) for one in memory.evictions("alice")) <= 251


@pytest.mark.parametrize("policy", POLICIES)
def test_a_summariser_that_is_slow_holds_up_no_turn_and_condenses_nothing_twice(
    assistant_with, tiny_embedder, policy: str
):
    writer = ScriptedLLM(vague, forever=True)
    memory = a_memory(tiny_embedder, policy, condense_after=1, page_percent=50, page_target_percent=45)
    assistant = assistant_with(answer, writer=writer, memory=memory, forever=True)
    for number in range(8):
        tell(assistant, number)
    writer.gate = threading.Event()
    for number in range(8, 11):
        started = runner().start(TurnRequest("alice", f"Note {number} " + "about owls " * 60))
        events = runner().events(started.turn_id)
        while not events.after(0, 30)[1]:
            pass
        assert memory.turn(started.turn_id).outcome == "answered"
    writer.gate.set()
    assert runner().wait_idle()

    messages = memory.messages("alice")
    assert len(messages) == 22
    covered = {one.summary_id for one in messages if one.summary_id}
    opened = [one.id for summary in covered for one in memory.messages_of_summary(summary)]
    assert sorted(opened) == sorted(one.id for one in messages if one.summary_id)
    assert covered
    for message in messages:
        if message.summary_id:
            assert message.content in expanded(memory, message.summary_id)


STEPS = (
    "list_files -> [app.py, settings.yaml, notes.txt, legacy/, deploy.md]",
    "read_file(app.py) -> imports settings; serves /v1/query",
    "read_file(settings.yaml) -> rate_limit: 120  # ERR-4092 when exceeded",
    "grep('quota') -> deploy.md: 'quota resets monthly'",
    "read_file(notes.txt) -> TODO move rate limiting to gateway",
    "read_file(deploy.md) -> deploy via compose; quota resets monthly",
    "list_files(legacy/) -> [old_limits.cfg]",
    "read_file(legacy/old_limits.cfg) -> rate_limit: 60 (SUPERSEDED)",
    "grep('4092') -> settings.yaml comment; docs/api.md missing",
    "check_docs -> api docs not in repo; only settings comment",
    "compare -> current limit 120, legacy 60, superseded",
    "draft_answer -> the limit is 120",
)


def test_the_identifiers_of_early_steps_stand_verbatim_at_step_twelve(assistant_with, tiny_embedder):
    memory = a_memory(tiny_embedder, "page", page_percent=40, page_target_percent=35, page_turns=3)
    assistant = assistant_with("Next.", writer=ScriptedLLM(vague, forever=True), memory=memory, forever=True)
    for number, step in enumerate(STEPS):
        early = "" if number in (0, 2) else " " + "Nothing else of note. " * 30
        call_agent(
            assistant, f"step_{number + 1}: {step.replace('settings.yaml comment', 'a comment')}{early}", "m"
        )
    last = assistant.model.requests[-1]
    assert "step_1:" not in last.user
    assert "step_3:" not in last.user
    assert "settings.yaml" in last.system
    assert "ERR-4092" in last.system


@pytest.mark.parametrize("policy", POLICIES)
def test_a_mission_of_fifteen_turns_is_within_the_budget_at_every_step(
    assistant_with, tiny_embedder, policy: str
):
    memory = a_memory(tiny_embedder, policy)
    assistant = assistant_with(answer, writer=ScriptedLLM(vague, forever=True), memory=memory, forever=True)
    for number in range(15):
        call_agent(assistant, f"Step {number}: " + "the log says that nothing happened. " * 40, "m")
    sizes = [size(request) for request in assistant.model.requests]
    assert len(sizes) == 15
    assert max(sizes) <= BUDGET * 8 // 10
    assert sum("Step 0:" in request.user for request in assistant.model.requests) < 15
    shown = re.findall(r"Step (\d+): the log", assistant.model.requests[-1].user)
    assert shown[0] == "14"
    assert "13" in shown
