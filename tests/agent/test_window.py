from researchassist.agent import window
from researchassist.agent.preview import preview
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options


def test_a_line_over_its_allowance_is_named(assistant_with, tiny_embedder):
    memory = MemoryManager(Options(allow_system=100), tiny_embedder)
    found = {
        line.key: line for line in window.lines(preview(assistant_with("x", memory=memory), "a", "Owls?"))
    }
    assert found["system"].is_over
    assert not found["question"].is_over
    assert found["exchange"].used is None


def test_the_instructions_and_the_tools_are_within_their_lines(assistant_with, tiny_embedder):
    for policy in ("condense", "page"):
        memory = MemoryManager(Options(context_policy=policy), tiny_embedder)
        run = preview(assistant_with("x", memory=memory), "a", "Owls?")
        found = {line.key: line for line in window.lines(run)}
        assert not found["system"].is_over
        assert not found["tools"].is_over
        assert window.together(run).status == "ok"


def test_the_rules_have_the_numbers_of_the_options():
    [condensing, *_] = window.rules(Options(token_budget=10_000, critical_percent=70, condense_after=7))
    assert "70 % of the window (7,000 tokens)" in condensing
    assert "more than 7" in condensing
