"""Promise 2 over whole threads: whatever the policy, sizes and failures, in each model input every earlier
message is word for word, under a summary that is listed there, or counted."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.agent import assistant as assistants
from researchassist.agent.turn import call_agent
from researchassist.errors import ModelError
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM
from tests.tiny_embedder import TinyEmbedder

FOUR = "### Technical Information\n- x\n### Emotional Context\n- x\n### Entities & References\n- x\n"
GOOD = FOUR + "### Action Items & Decisions\n- x"


def writer(kinds: list[str]) -> ScriptedLLM:
    """A writer whose replies are of these kinds, in turn."""
    asked = iter(range(1_000_000))

    def reply(messages) -> str:
        kind = kinds[next(asked) % len(kinds)]
        if kind == "fails":
            raise ModelError("The writer is down.")
        return {"good": GOOD, "empty": "", "echoes": str(messages[0]["content"])}[kind]

    return ScriptedLLM(reply, forever=True)


@pytest.mark.django_db(transaction=True)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(1, 400), min_size=3, max_size=14),
    policy=st.sampled_from(["condense", "page"]),
    window=st.sampled_from([4000, 6000, 9000]),
    kinds=st.lists(st.sampled_from(["good", "fails", "empty", "echoes"]), min_size=1, max_size=3),
    limit=st.integers(1, 6),
    listed=st.integers(1, 3),
    longest=st.sampled_from([500, 8000]),
)
def test_in_each_model_input_every_earlier_message_is_verbatim_covered_or_counted(
    lengths: list[int], policy: str, window: int, kinds: list[str], limit: int, listed: int, longest: int
) -> None:
    options = Options(
        context_policy=policy, token_budget=window, conversation_limit=limit, condense_after=2,
        summary_k=listed, message_chars=longest, summary_input_chars=900, page_turns=1,
    )  # fmt: skip
    memory = MemoryManager(options, TinyEmbedder())
    memory.delete_thread("t")
    before: list[set[str]] = []

    def answer(messages) -> str:
        before.append({message.id for message in memory.messages("t")[:-1]})
        return f"answer-{len(before)} " + "noted " * 20

    made = assistants.build(memory, model=ScriptedLLM(answer, forever=True), writer=writer(kinds), tools=[])
    for number, length in enumerate(lengths):
        call_agent(made, f"message-{number} " + "word " * length, "t")

    known = {message.id: message for message in memory.messages("t")}
    assert len(known) == 2 * len(lengths)
    for request, earlier in zip(made.model.requests, before, strict=True):
        text = request.user
        shown = {one for one in earlier if known[one].content in text.split("## Knowledge Base Memory")[0]}
        ids = set(re.findall(r"\[Summary ID: ([0-9a-f]{8})\]", text))
        covered = {one for one in earlier if known[one].summary_id in ids} - shown
        hidden = re.search(r"\[(\d+) earlier messages? of this conversation not shown here; recall", text)
        cut = re.search(r"\[(\d+) messages? above (?:is|are) shown in part; recall_search", text)
        counted = sum(int(match.group(1)) for match in (hidden, cut) if match)
        assert len(shown) + len(covered) + counted >= len(earlier)
