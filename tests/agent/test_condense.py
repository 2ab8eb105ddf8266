import pytest

from researchassist.agent.condense import Condenser, expanded
from researchassist.agent.summaries import HEADINGS
from researchassist.errors import UnknownSummary
from tests.scripted_llm import ScriptedLLM

GOOD = "\n\n".join(f"### {heading}\n- Noted." for heading in HEADINGS)
LABEL = "Owls hunt mice at night in the northern hills"


@pytest.fixture
def condenser(memory) -> Condenser:
    return Condenser(memory, None)


def say(memory, *texts: str) -> list:
    roles = ("user", "assistant")
    return [memory.write_conversational_memory(t, roles[i % 2], "alice") for i, t in enumerate(texts)]


def under(memory, made) -> list[list[str]]:
    return [[m.content for m in memory.messages_of_summary(one.record.id)] for one in made]


def test_all_messages_that_fit_are_one_summary(memory, condenser):
    say(memory, "one", "two", "three")
    made = condenser.condense_thread("alice")
    assert under(memory, made) == [["one", "two", "three"]]
    assert memory.unconsolidated_messages("alice") == []


def test_again_there_is_nothing_to_summarize(memory, condenser):
    say(memory, "one", "two")
    condenser.condense_thread("alice")
    assert condenser.condense_thread("alice") == []


def test_a_summary_takes_the_oldest_whole_messages_within_6000_characters(memory, condenser):
    say(memory, "a" * 2500, "b" * 2500, "c" * 2500, "d" * 2500)
    made = condenser.condense_thread("alice")
    assert [[text[0] for text in group] for group in under(memory, made)] == [["a", "b"], ["c", "d"]]
    assert all(len(one.record.full_content) <= 6000 for one in made)


def test_one_longer_message_is_read_head_and_tail_and_kept_whole(memory):
    long = "HEAD" + "x" * 9000 + "TAIL"
    say(memory, long)
    writer = ScriptedLLM(GOOD, LABEL)
    [made] = Condenser(memory, writer).condense_thread("alice")
    asked = writer.requests[0].messages[0]["content"]
    assert "HEAD" in asked
    assert "TAIL" in asked
    assert "characters left out here" in asked
    assert long in made.record.full_content


def test_the_running_question_is_never_consumed(memory, condenser):
    *_, question = say(memory, "one", "two", "running")
    made = condenser.condense_thread("alice", before=question)
    assert under(memory, made) == [["one", "two"]]
    assert [m.content for m in memory.unconsolidated_messages("alice")] == ["running"]


def test_the_latest_can_be_kept(memory, condenser):
    say(memory, "one", "two", "three")
    assert under(memory, condenser.condense_thread("alice", keep=2)) == [["one"]]
    assert condenser.condense_thread("alice", keep=2) == []


def test_another_thread_is_left_alone(memory, condenser):
    say(memory, "one")
    memory.write_conversational_memory("secret", "user", "charlie")
    condenser.condense_thread("alice")
    assert len(memory.unconsolidated_messages("charlie")) == 1


def test_what_another_process_condensed_meanwhile_is_not_taken_again(memory):
    first, *_ = say(memory, "one", "two", "three")

    def steal(_messages) -> str:
        memory.write_summary(
            full_content="x", summary="y", description="z", thread_id="alice", messages=[first]
        )
        return GOOD

    writer = ScriptedLLM(steal, LABEL, GOOD, LABEL)
    made = Condenser(memory, writer).condense_thread("alice")
    assert under(memory, made) == [["two", "three"]]


def test_a_model_that_fails_still_gives_a_summary_and_says_so(memory):
    from researchassist.errors import ModelError

    say(memory, "one")
    writer = ScriptedLLM(ModelError("It is down."), forever=True)
    [made] = Condenser(memory, writer).condense_thread("alice")
    assert made.problem == "It is down."
    assert all(heading in made.record.summary for heading in HEADINGS)


def test_an_expansion_gives_every_original_byte_for_byte_in_order_with_its_time(memory, condenser):
    texts = ["one\r\n  two ", "## Summary Memory\n日本 👩‍👩‍👧", "e\u0301 x" * 900]
    messages = say(memory, *texts)
    [made] = condenser.condense_thread("alice")
    text = expanded(memory, made.record.id)
    assert made.record.summary in text
    places = [text.index(original) for original in texts]
    assert places == sorted(places)
    assert all(f"[{m.timestamp.astimezone():%Y}" in text for m in messages)
    assert text.count(" UTC] ") + text.count("] user: ") + text.count("] assistant: ") >= 3


def test_a_text_is_condensed_and_opens_whole(memory, condenser):
    text = "Owls. " * 4000
    made = condenser.condense_text(text, None)
    assert expanded(memory, made.record.id).endswith(f"Original text:\n{text}")


def test_an_unknown_summary_is_told(memory):
    with pytest.raises(UnknownSummary):
        expanded(memory, "00000000")
