import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.agent.summaries import (
    HEADINGS,
    LABEL_TOKENS,
    SUMMARY_TOKENS,
    acceptable_label,
    write_summary,
)
from researchassist.errors import ModelError
from researchassist.options import Options
from tests.scripted_llm import ScriptedLLM

GOOD = "\n\n".join(f"### {heading}\n- About {heading.lower()}." for heading in HEADINGS)
LABEL = "Owls hunt mice at night in the northern hills"
TEXT = "user: Owls hunt mice in the northern hills at night."


def headings(text: str) -> list[str]:
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


def written(*replies, text: str = TEXT):
    model = ScriptedLLM(*replies)
    return write_summary(text, model, Options()), model


def test_a_model_writes_the_summary_and_its_label():
    summary, model = written(GOOD, LABEL)
    assert (summary.text, summary.label, summary.problem) == (GOOD, LABEL, "")
    assert [request.max_tokens for request in model.requests] == [SUMMARY_TOKENS, LABEL_TOKENS]


def test_it_is_made_from_at_most_6000_characters():
    _, model = written(GOOD, LABEL, text="a" * 6000 + "B" * 10)
    asked = model.requests[0].messages[0]["content"]
    assert "a" * 6000 in asked
    assert "aB" not in asked


@pytest.mark.parametrize(
    "bad", ["", "   ", "A plain text.", GOOD.replace("### Emotional Context", "### Mood")]
)
def test_a_reply_without_the_four_headings_is_asked_for_once_more_and_simpler(bad: str):
    summary, model = written(bad, GOOD, LABEL)
    assert summary.text == GOOD
    assert model.requests[1].messages != model.requests[0].messages


@pytest.mark.parametrize("bad", ["", "A plain text.", ModelError("It is down.")])
def test_after_the_retry_a_summary_is_made_by_rule(bad):
    summary, _ = written(bad, bad, LABEL)
    assert headings(summary.text) == list(HEADINGS)
    assert "Owls hunt mice" in summary.text
    assert summary.problem
    assert summary.label == LABEL


def test_without_a_model_it_is_made_by_rule_and_no_problem():
    summary = write_summary(TEXT, None, Options())
    assert headings(summary.text) == list(HEADINGS)
    assert acceptable_label(summary.label)
    assert summary.problem == ""


@pytest.mark.parametrize(
    "reply",
    [
        GOOD.replace("### ", "## "),
        GOOD.replace("### ", "**").replace("\n- ", ":**\n- "),
        GOOD.upper(),
        f"<think>Owls?</think>\n{GOOD}",
        f"Here it is:\n\n{GOOD}",
    ],
)
def test_headings_may_be_written_in_other_ways(reply: str):
    summary, _ = written(reply, LABEL)
    assert headings(summary.text) == list(HEADINGS)
    assert summary.problem == ""


def test_identifiers_the_model_lost_are_put_back_verbatim():
    text = "See arXiv:2310.08560v2, 10.1145/3292500.3330701 and notes.md: ERR_1042 at 41% on 2026-03-01."
    summary, _ = written(GOOD, LABEL, text=text)
    names = ("arXiv:2310.08560v2", "10.1145/3292500.3330701", "notes.md", "ERR_1042", "41%", "2026-03-01")
    assert all(name in summary.text for name in names)


def test_identifiers_that_do_not_fit_are_counted():
    summary, _ = written(GOOD, LABEL, text=" ".join(f"file-number-{n}-of-many.md" for n in range(200)))
    assert re.search(r"\(and \d+ more in the originals\)", summary.text)
    assert len(summary.text) <= 1500


BODY = st.text(max_size=3000) | st.sampled_from(
    ["- x\n" * 700, "word " * 500, "y" * 3000, "", "notes.md " * 90]
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(BODY, min_size=4, max_size=4), st.text(max_size=2000) | BODY, st.integers(600, 1500))
def test_whatever_is_written_it_has_four_headings_within_the_limit(bodies, source, limit):
    reply = "\n".join(f"### {heading}\n{body}" for heading, body in zip(HEADINGS, bodies, strict=True))
    model = ScriptedLLM(reply, forever=True)
    summary = write_summary(source, model, Options(summary_chars=limit))
    assert len(summary.text) <= limit
    assert [h for h in headings(summary.text) if h in HEADINGS][:1] == [HEADINGS[0]]
    assert all(f"### {heading}\n" in summary.text for heading in HEADINGS)
    assert acceptable_label(summary.label)
    assert len(summary.label) <= 300


@pytest.mark.parametrize(
    "label",
    [
        "Conversation summary",
        "Conversation summary of the things that were said here today",
        "A brief summary of this conversation about owls and mice",
        "Summary of the conversation between a user and an assistant",
        "The chat log of all that was said about owls",
        "Too short",
        "One two three four five six seven eight nine ten eleven twelve thirteen",
        "",
    ],
)
def test_a_general_or_wrongly_long_label_is_replaced(label: str):
    summary, _ = written(GOOD, label)
    assert summary.label != label
    assert acceptable_label(summary.label)
    assert "label" in summary.problem


@pytest.mark.parametrize(
    "text", ["", "   \n", "Owls", "user: hi", "x" * 5000, "conversation summary " * 9, "日本語" * 99]
)
def test_a_label_by_rule_is_always_good(text: str):
    label = write_summary(text, None, Options()).label
    assert acceptable_label(label)
    assert 8 <= len(label) <= 300


def test_a_label_that_fails_does_not_cost_the_summary():
    summary, _ = written(GOOD, ModelError("It is down."))
    assert (summary.text, summary.problem) == (GOOD, "It is down.")
    assert acceptable_label(summary.label)
