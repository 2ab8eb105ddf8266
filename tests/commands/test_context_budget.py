import re

import pytest
from django.core.management.base import CommandError

from researchassist.agent.allowances import LINES
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options


def rows(text: str) -> dict[str, tuple[str, str]]:
    found = re.findall(r"^(\S.*?) {2,}([\d,]+) +(\S+)", text, re.MULTILINE)
    return {label: (allowance, used) for label, allowance, used in found}


def test_every_line_has_its_allowance_and_use_and_they_sum_to_less_than_the_window(command, assistant_with):
    assistant_with("unused")
    found = rows(command("context_budget", "--question", "x" * 400))
    assert list(found)[: len(LINES)] == list(LINES.values())
    assert found["Your message"] == ("64,000", "100")
    assert found["Kept free for the answer"] == ("16,000", "free")
    numbers = {label: int(allowance.replace(",", "")) for label, (allowance, _) in found.items()}
    assert sum(numbers[label] for label in LINES.values()) == numbers["together"] < numbers["window"]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("condense", "Above 80 % of the window (204,800 tokens)"),
        ("page", "above 70 % of the window (179,200 tokens) the oldest messages are evicted"),
    ],
)
def test_it_says_what_is_condensed_when_what_gives_way_first_and_what_never(
    command, assistant_with, tiny_embedder, policy: str, words: str
):
    assistant_with("unused", memory=MemoryManager(Options(context_policy=policy), tiny_embedder))
    text = command("context_budget")
    assert words in text
    assert "Cut first under pressure: earlier messages" in text
    assert "Never cut: instructions, your message" in text


def test_the_use_is_that_of_the_conversation(command, assistant_with, memory):
    assistant_with("unused")
    memory.write_conversational_memory("owl " * 400, "user", "alice")
    less, more = rows(command("context_budget")), rows(command("context_budget", "--thread", "alice"))
    used = [int(one["Earlier messages"][1].replace(",", "")) for one in (less, more)]
    assert used[1] >= used[0] + 350
    assert memory.turns("alice") == []


def test_an_unknown_conversation_is_told(command, assistant_with):
    assistant_with("unused")
    with pytest.raises(CommandError, match="no conversation"):
        command("context_budget", "--thread", "nobody")
