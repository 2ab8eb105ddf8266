import pytest

from researchassist.agent.running_summary import fold, text_of
from researchassist.errors import ModelError
from researchassist.memory.records import MessageRecord, RunningSummary
from researchassist.memory.text import count_words
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM

OPTIONS = Options(running_summary_words=40, identifier_chars=120)
LONG = (
    "Please look at settings.yaml, where ERR-4092 comes from, and at arXiv:2310.08560. " + "More words. " * 40
)


def said(text: str, role: str = "user", number: int = 0) -> MessageRecord:
    from researchassist.memory import clock

    return MessageRecord(id=str(number), thread_id="alice", role=role, content=text, timestamp=clock.now())


def folded(*replies, previous: RunningSummary | None = None, messages=None, options: Options = OPTIONS):
    writer = ScriptedLLM(*replies) if replies else None
    return fold(previous, messages or [said(LONG)], writer, options), writer


def test_the_writer_is_given_the_previous_summary_and_only_the_evicted_messages():
    before = RunningSummary(number=3, prose="Alice asks about owls.", person=("owls.md",))
    after, writer = folded("Alice asks about owls and voles.", previous=before, messages=[said("And voles?")])
    [prompt] = [request.messages[0]["content"] for request in writer.requests]
    assert "Alice asks about owls." in prompt
    assert "And voles?" in prompt
    assert (after.number, after.prose, after.messages, after.problem) == (
        4, "Alice asks about owls and voles.", 1, ""
    )  # fmt: skip


def test_identifiers_that_the_model_dropped_stand_verbatim_under_the_entities_heading():
    after, _ = folded("Alice asked about a file and an error.")
    text = text_of(after)
    for name in ("settings.yaml", "ERR-4092", "arXiv:2310.08560"):
        assert name in text.split("### Entities & References")[1]


def test_identifiers_that_the_model_kept_are_not_said_twice():
    after, _ = folded("Alice asked about settings.yaml, ERR-4092 and arXiv:2310.08560.")
    assert text_of(after) == "Alice asked about settings.yaml, ERR-4092 and arXiv:2310.08560."


def test_identifiers_are_kept_over_many_foldings():
    summary, _ = folded("Vague.")
    for number in range(10):
        summary, _ = folded("Vague again.", previous=summary, messages=[said(f"Step {number}.")])
    assert "settings.yaml" in text_of(summary)
    assert "ERR-4092" in text_of(summary)


def test_those_that_do_not_fit_are_counted_and_the_persons_come_first():
    answer = said(", ".join(f"assistant-file-{n}.txt" for n in range(10)), "assistant")
    before, _ = folded("Vague.", messages=[answer])
    after, _ = folded("Vague.", previous=before, messages=[said("Mine is my-own-file.txt")])
    assert before.left_out == 5
    assert after.left_out == 6
    assert text_of(after).split("Exact identifiers: ")[1].startswith("my-own-file.txt, assistant-file-0.txt")
    assert text_of(after).endswith("(and 6 more in the originals)")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("<think>hm</think>", "empty"),
        (ModelError("The server is down."), "server is down"),
        (LONG, "only repeated"),
        (lambda messages: str(messages[0]["content"]), "only repeated"),
    ],
)
def test_a_bad_writer_changes_nothing_that_was_there(reply, problem: str):
    before = RunningSummary(number=1, prose="Alice asks about owls.")
    after, _ = folded(reply, previous=before)
    assert after.prose.startswith("Alice asks about owls.\n- [")
    assert "user: Please look at settings.yaml" in after.prose
    assert problem in after.problem


def test_one_that_is_too_long_is_cut_at_a_sentence_and_says_so():
    after, _ = folded(" ".join(f"Sentence number {n} is here." for n in range(20)))
    assert count_words(after.prose) <= 41
    assert after.prose.endswith("here. …")
    assert "cut to 40 words" in after.problem


def test_without_a_writer_the_oldest_lines_give_way_and_that_is_said():
    summary = None
    for number in range(30):
        summary, _ = folded(previous=summary, messages=[said(f"Message number {number} about owls.")])
        assert count_words(summary.prose) <= 40
    assert "Message number 29" in summary.prose
    assert "Message number 0 " not in summary.prose
    assert "More was said here" in summary.prose
    assert summary.prose.count("More was said here") == 1


def test_lines_made_by_rule_are_folded_in_by_a_writer_that_works_again():
    summary, _ = folded(messages=[said("Owls hunt at night.")])
    summary, writer = folded(
        "Owls hunt at night, voles by day.", previous=summary, messages=[said("And voles?")]
    )
    assert "Owls hunt at night." in writer.requests[0].messages[0]["content"]
    assert summary.prose == "Owls hunt at night, voles by day."
