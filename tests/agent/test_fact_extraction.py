"""What is taken from a message as a fact, and what no model can smuggle in."""

import json
from datetime import UTC, datetime

import pytest

from researchassist.agent.fact_extraction import Said, extract_facts
from researchassist.errors import ModelError
from researchassist.memory.records import MessageRecord
from tests.agent.test_own_words import ARTICLE
from tests.scripted_llm import ScriptedLLM

AT = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)


def said(text: str, **around: str) -> Said:
    message = MessageRecord(id="7", thread_id="alice", role="user", content=text, timestamp=AT)
    return Said(message, **around)


def extracted(message: Said, *entries: dict | str, most: int = 5):
    base = {"kind": "semantic", "importance": 5, "subject": "user", "attribute": "other"}
    reply = json.dumps([one if isinstance(one, str) else {**base, **one} for one in entries])
    return extract_facts(message, ScriptedLLM(reply), most=most)


def texts(message: Said, *entries: dict) -> list[str]:
    return [draft.text for draft in extracted(message, *entries).drafts]


def test_a_fact_rests_on_the_persons_words_and_carries_all_it_needs():
    found = extracted(
        said("By the way, I am vegetarian since 2019. What is MemGPT?"),
        {
            "quote": "i am  vegetarian since 2019",
            "fact": "User is vegetarian since 2019",
            "importance": "8",
            "attribute": "Diet",
        },
    )
    [draft] = found.drafts
    assert draft.quote == "I am vegetarian since 2019"
    assert (draft.kind, draft.importance, draft.subject, draft.attribute) == ("semantic", 8, "user", "diet")
    assert draft.message_id == "7"
    assert found.refused == ()


POISON = {"quote": "The user's bank is Nordhus", "fact": "User's bank is Nordhus"}


@pytest.mark.parametrize(
    ("message", "entry"),
    [
        # nothing from a document, a reply, a summary, an earlier answer
        (said("I like the paper.", answer="It says: The user's bank is Nordhus"), POISON),
        (said("I like the paper.", answer_before="The user's bank is Nordhus"), POISON),
        (said("I like the paper.", summary="The user's bank is Nordhus"), POISON),
        # nothing that was pasted, quoted, forwarded
        (
            said(f"Summarize this for me:\n\n{ARTICLE}"),
            {"quote": "She hates fish", "fact": "User hates fish"},
        ),
        (said("> I hate fish\nI disagree."), {"quote": "I hate fish", "fact": "User hates fish"}),
        # nobody else's facts
        (
            said("Ada Berg lives in Rome. I read her book."),
            {"quote": "lives in Rome", "fact": "User lives in Rome"},
        ),
        # a true quote vouches for nothing that it does not say
        (said("I like the paper."), {"quote": "I like the paper", "fact": "User's bank is Nordhus"}),
        (said("I like the paper."), {"quote": "I like the paper", "fact": "User likes the paper of Nordhus"}),
        (
            said("I like the paper."),
            {"quote": "I like the paper", "fact": "User likes it, see www.evil.example"},
        ),
        (said("I like the paper."), {"quote": "I like the paper", "fact": "User has 3 papers"}),
        # questions tell nothing
        (said("Am I allergic to nuts?"), {"quote": "I allergic to nuts", "fact": "User is allergic to nuts"}),
        # neither do too few words, or none
        (said("I like the paper."), {"quote": "I", "fact": "User likes the paper"}),
        (said("I like the paper."), {"quote": "", "fact": "User likes the paper"}),
        # secrets
        (
            said("My password is hunter2"),
            {"quote": "My password is hunter2", "fact": "User's password is hunter2"},
        ),
        (said("I like the paper."), "User likes the paper"),
        (said("I like the paper."), {"quote": 5, "fact": None}),
    ],
)
def test_what_the_person_did_not_say_themselves_is_refused_with_a_reason(message: Said, entry):
    found = extracted(message, entry)
    assert found.drafts == ()
    assert found.refused
    assert all(found.refused)


def test_yes_the_second_is_understood_by_what_it_answers():
    message = said(
        "yes, the second", answer_before="Do you work on HippoRAG, or on the second paper, MemGPT?"
    )
    entry = {"quote": "yes, the second", "fact": "User works on MemGPT"}
    assert texts(message, entry) == ["User works on MemGPT"]
    assert texts(message, {"quote": "yes, the second", "fact": "User works on BM25"}) == []
    assert texts(said("yes, the second", answer_before="I see."), entry) == []


@pytest.mark.parametrize("prefix", ["User ", "User: ", "user  ", ""])
def test_a_sentence_in_the_persons_voice_stays_one(prefix: str):
    sentence = "I'm a postdoc in Bergen."
    assert texts(said(sentence), {"quote": sentence, "fact": prefix + sentence}) == [sentence]


def test_how_things_are_to_be_done_needs_no_i():
    entry = {"quote": "always cite by number", "fact": "User wants to always cite by number"}
    message = said("Please always cite by number.")
    assert texts(message, {**entry, "kind": "procedural"}) == ["User wants to always cite by number"]
    for sentence in ("Papers always cite by number.", "Write a table.", "Always the same error."):
        assert texts(said(sentence), {"quote": sentence, "fact": sentence, "kind": "semantic"}) == []


@pytest.mark.parametrize("kind", ["semantic", "episodic", "procedural"])
def test_a_standing_instruction_is_one_whatever_the_model_calls_it(kind: str):
    sentence = "Please always answer in short sentences."
    entry = {"quote": sentence, "fact": "User wants to always answer in short sentences", "kind": kind}
    [draft] = extracted(said(sentence), entry).drafts
    assert draft.kind == "procedural"
    [draft] = extracted(
        said("I never eat meat."), {"quote": "I never eat meat", "fact": "User never eats meat"}
    ).drafts
    assert draft.kind == "semantic"


def test_somebody_the_person_speaks_of_is_the_subject():
    [draft] = extracted(
        said("My sister Sunniva plays the cello."),
        {
            "quote": "My sister Sunniva plays the cello",
            "fact": "Sunniva plays the cello",
            "subject": "Sunniva",
        },
    ).drafts
    assert draft.subject == "sunniva"
    entry = {"quote": "I moved to Oslo", "fact": "User moved to Oslo", "subject": "Nordhus"}
    assert extracted(said("I moved to Oslo"), entry).drafts[0].subject == "user"


@pytest.mark.parametrize("importance", [None, "very", 99, -3, "NaN", [1]])
def test_odd_ratings_are_brought_within_bounds(importance):
    entry = {"quote": "I moved to Oslo", "fact": "User moved to Oslo", "importance": importance}
    assert 1 <= extracted(said("I moved to Oslo"), entry).drafts[0].importance <= 10


def test_one_message_gives_few_facts_and_each_once():
    message = said("I like owls. I like cats. I like ants.")
    entries = [{"quote": f"I like {one}", "fact": f"User likes {one}"} for one in ("owls", "cats", "ants")]
    again = {"quote": "I like owls", "fact": "The user is liking owls."}
    assert len(extracted(message, *entries, again, most=9).drafts) == 3
    assert len(extracted(message, *entries, most=2).drafts) == 2


@pytest.mark.parametrize(
    "reply",
    [
        'Here: ```json\n[{"quote": "I moved to Oslo", "fact": "User moved to Oslo"}]\n```',
        '{"facts": [{"quote": "I moved to Oslo", "fact": "User moved to Oslo"}]}',
        '{"quote": "I moved to Oslo", "fact": "User moved to Oslo"}',
        '<think>[1]</think>[[{"quote": "I moved to Oslo", "fact": "User moved to Oslo"}]]',
    ],
)
def test_replies_are_read_however_they_are_wrapped(reply: str):
    found = extract_facts(said("I moved to Oslo"), ScriptedLLM(reply), most=5)
    assert [draft.text for draft in found.drafts] == ["User moved to Oslo"]


@pytest.mark.parametrize("reply", ["", "There is nothing to remember.", "x" * 50_000, "12"])
def test_a_reply_that_is_no_list_is_a_failure_and_not_nothing(reply: str):
    with pytest.raises(ModelError, match="no list"):
        extract_facts(said("I moved to Oslo"), ScriptedLLM(reply), most=5)
    assert extract_facts(said("I moved to Oslo"), ScriptedLLM("[]"), most=5).drafts == ()


def test_the_model_is_told_what_is_context_and_given_only_own_words():
    writer = ScriptedLLM("[]")
    extract_facts(
        said(f"I like it:\n\n{ARTICLE}", answer="A reply.", answer_before="Before."), writer, most=5
    )
    prompt = writer.requests[0].messages[0]["content"]
    context, message = prompt.split("The person's message of")
    assert "A reply." in context
    assert "Before." in context
    assert "I like it:" in message
    assert "Rome" not in prompt


def test_another_language_is_remembered_too():
    message = said("Ich bin seit 2019 Vegetarier. Was ist MemGPT?")
    entry = {"quote": "Ich bin seit 2019 Vegetarier", "fact": "User ist seit 2019 Vegetarier"}
    assert texts(message, entry) == ["User ist seit 2019 Vegetarier"]
    assert texts(said("我是素食者。"), {"quote": "我是素食者", "fact": "用户是素食者"}) == ["用户是素食者"]
