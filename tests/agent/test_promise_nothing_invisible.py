"""Promise 2: every message is in the context word for word, under a listed summary, or counted."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.agent.condense import Condenser
from researchassist.agent.context import assemble
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import ConversationalMemory, Thread
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder


@pytest.mark.django_db
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(1, 60), min_size=0, max_size=25),
    condensed_at=st.lists(st.integers(0, 25), max_size=3),
    limit=st.integers(1, 6),
    listed=st.integers(1, 3),
)
def test_no_message_is_silently_invisible(
    lengths: list[int], condensed_at: list[int], limit: int, listed: int
) -> None:
    memory = MemoryManager(
        Options(conversation_limit=limit, summary_k=listed, summary_input_chars=600), TinyEmbedder()
    )
    memory.delete_thread("t")
    condenser = Condenser(memory, None)
    for number, length in enumerate(lengths):
        memory.write_conversational_memory(f"message-{number} " + "word " * length, "user", "t")
        if number in condensed_at:
            condenser.condense_thread("t", keep=limit)
    question = memory.write_conversational_memory("And now?", "user", "t")

    context = assemble(memory, question, "source-1")

    text = context.user_content()
    shown = {m.id for m in memory.messages("t") if m.id != question.id and m.content in text}
    ids = set(re.findall(r"\[Summary ID: ([0-9a-f]{8})\]", text))
    covered = {m.id for m in memory.messages("t") if m.summary_id in ids}
    counted = re.search(r"\[(\d+) earlier messages? of this conversation not shown here; recall_search", text)
    assert len(shown | covered) + (int(counted.group(1)) if counted else 0) == len(lengths)
    assert ConversationalMemory.objects.filter(thread_id="t").count() == len(lengths) + 1
    assert Thread.objects.filter(pk="t").exists()
