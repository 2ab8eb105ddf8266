"""AC2 (R3): a read gives one thread's unconsolidated messages, in order."""

from collections.abc import Callable

from researchassist.agent.assistant import Assistant

from .conftest import SEED


def test_a_read_of_the_seed_thread_holds_nothing_of_another_thread(
    with_samples: Assistant, evidence: Callable[[str], None]
) -> None:
    memory = with_samples.memory
    memory.write_conversational_memory("Only for the other thread.", "user", "other-01")
    memory.write_conversational_memory("And its answer.", "assistant", "other-01")

    reading = memory.read_conversational_memory(SEED)

    assert len(reading.records) == 10
    assert reading.records == tuple(memory.messages(SEED)[-10:])
    assert all(m.thread_id == SEED and m.summary_id is None for m in reading.records)
    assert all(m.role in ("user", "assistant") for m in reading.records)
    times = [m.timestamp for m in reading.records]
    assert times == sorted(times)
    assert "other thread" not in reading.text()
    for message in reading.records:
        assert message.content in reading.text()
    evidence("the latest 10 messages of seed-01, ascending, none of other-01")


def test_consolidated_messages_are_left_out(with_samples: Assistant) -> None:
    memory = with_samples.memory
    first = memory.messages(SEED)[:8]
    memory.write_summary(full_content="x", summary="y", description="z", thread_id=SEED, messages=first)

    reading = memory.read_conversational_memory(SEED)

    assert [m.id for m in reading.records] == [m.id for m in memory.messages(SEED)[8:]]
