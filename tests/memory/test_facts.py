"""What is known of the person: written, ranked, replaced, forgotten and taken back."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import time_machine
from django.db import IntegrityError, connections

from researchassist.errors import MemoryRefused, UnknownFact
from researchassist.memory.fact_records import FactDecision, FactDraft, FactStep
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import Fact, FactChange, FactState
from researchassist.memory.scoring import Weights, best, scores
from researchassist.memory.vectors import from_bytes, to_bytes, unit
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder

SEAFOOD = FactDraft(text="User loves seafood", attribute="diet", importance=6, quote="I love seafood")
VEGETARIAN = FactDraft(text="User is vegetarian", attribute="diet", importance=8)


def add(memory: MemoryManager, *drafts: FactDraft, by: str = "person", **more):
    return memory.write_facts([FactDecision(draft) for draft in drafts], by=by, **more)


def texts(memory: MemoryManager, *states: str) -> list[str]:
    return [fact.text for fact in memory.facts(states or (FactState.ACTIVE,))]


def replaced(memory: MemoryManager, draft: FactDraft, *fact_ids: int):
    steps = (*(FactStep("DELETE", one) for one in fact_ids), FactStep("ADD"))
    return memory.write_facts([FactDecision(draft, steps)], by="writer")


def test_a_contradiction_leaves_the_one_fact_and_the_old_text_in_the_history(memory):
    [told] = add(memory, SEAFOOD)
    [outcome] = replaced(memory, VEGETARIAN, told.fact_id)
    assert outcome.status == "replaced"
    assert texts(memory) == ["User is vegetarian"]
    deleted = [change for change in memory.fact_changes() if change.operation == "DELETE"]
    assert [change.before["text"] for change in deleted] == ["User loves seafood"]
    assert deleted[0].candidate == "User is vegetarian"
    assert deleted[0].after["state"] == "replaced"


@pytest.mark.parametrize("again", ["user loves  seafood.", "The user loves SEAFOOD", "User loves seafood!"])
def test_the_same_told_again_is_one_fact(memory, again: str):
    [told] = add(memory, SEAFOOD)
    [outcome] = add(memory, FactDraft(text=again, attribute="taste"))
    assert (outcome.status, outcome.fact_id) == ("known", told.fact_id)
    assert texts(memory) == ["User loves seafood"]
    assert memory.fact_changes()[-1].operation == "NOOP"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("User's password is hunter2", "secret"),
        ("", "nothing"),
        ("  \x00 ", "nothing"),
        ("word " * 80, "300"),
    ],
)
def test_secrets_blanks_and_essays_are_not_kept_not_even_in_the_history(memory, text: str, why: str):
    [outcome] = add(memory, FactDraft(text=text))
    assert outcome.status == "refused"
    assert why in outcome.reason
    assert (Fact.objects.count(), FactChange.objects.count()) == (0, 0)


def test_a_removal_without_its_replacement_is_refused(memory):
    [told] = add(memory, SEAFOOD)
    decision = FactDecision(VEGETARIAN, (FactStep("DELETE", told.fact_id),))
    [outcome] = memory.write_facts([decision], by="writer")
    assert outcome.status == "refused"
    assert texts(memory) == ["User loves seafood"]


def test_only_facts_of_the_same_thing_are_taken_away(memory):
    kept = add(memory, FactDraft(text="User lives in Oslo", attribute="home"), SEAFOOD)
    sister = add(memory, FactDraft(text="Ida loves seafood", attribute="diet", subject="Ida"))
    replaced(memory, VEGETARIAN, *(one.fact_id for one in [*kept, *sister]))
    assert texts(memory) == ["User lives in Oslo", "Ida loves seafood", "User is vegetarian"]


def test_a_known_fact_costs_no_other_fact(memory):
    seafood, known = add(memory, SEAFOOD, VEGETARIAN)
    [outcome] = replaced(memory, VEGETARIAN, seafood.fact_id)
    assert (outcome.status, outcome.fact_id) == ("known", known.fact_id)
    assert len(texts(memory)) == 2


def test_a_fact_is_completed_under_its_number(memory):
    [told] = add(memory, FactDraft(text="User travels to Lisbon in May", attribute="plan"))
    more = FactDraft(text="The Lisbon trip is 12 to 19 May", attribute="plan", importance=9)
    step = FactStep("UPDATE", told.fact_id, "User travels to Lisbon 12 to 19 May")
    [outcome] = memory.write_facts([FactDecision(more, (step,))], by="writer")
    fact = memory.fact(told.fact_id)
    assert (outcome.status, fact.text, fact.importance) == (
        "updated",
        "User travels to Lisbon 12 to 19 May",
        9,
    )
    assert memory.recall_facts("Lisbon 12 to 19 May")[0].score.relevance > 0.7


@pytest.mark.parametrize(
    "again",
    [
        SEAFOOD,
        FactDraft(text="The user is loving seafood", attribute="taste"),
        FactDraft(text="User loves seafood from Bergen", attribute="diet"),
    ],
)
@pytest.mark.parametrize("by", ["writer", "reflection", "import"])
def test_what_was_forgotten_does_not_come_back_by_itself(memory, again: FactDraft, by: str):
    [told] = add(memory, SEAFOOD)
    memory.forget_fact(told.fact_id)
    [outcome] = add(memory, again, by=by)
    assert (outcome.status, outcome.fact_id) == ("refused", told.fact_id)
    assert texts(memory) == []


def test_an_update_brings_nothing_forgotten_back(memory):
    forgotten, kept = add(memory, SEAFOOD, FactDraft(text="User eats lunch at noon", attribute="diet"))
    memory.forget_fact(forgotten.fact_id)
    step = FactStep("UPDATE", kept.fact_id, "User loves seafood")
    decision = FactDecision(FactDraft(text="User eats fish soup at noon", attribute="diet"), (step,))
    [outcome] = memory.write_facts([decision], by="writer")
    assert outcome.status == "refused"
    assert texts(memory) == ["User eats lunch at noon"]


def test_a_denial_of_what_was_forgotten_is_another_fact(memory):
    [told] = add(memory, VEGETARIAN)
    memory.forget_fact(told.fact_id)
    add(memory, FactDraft(text="User is no longer vegetarian", attribute="diet"), by="writer")
    add(memory, FactDraft(text="User is a physicist", attribute="job"), by="writer")
    assert texts(memory) == ["User is no longer vegetarian", "User is a physicist"]


def test_the_person_may_say_again_what_they_had_forgotten_and_undo_even_that(memory):
    [told] = add(memory, SEAFOOD)
    memory.forget_fact(told.fact_id)
    [outcome] = add(memory, SEAFOOD, lift=True)
    assert (outcome.status, texts(memory)) == ("added", ["User loves seafood"])
    memory.undo_facts([outcome.batch])
    assert (texts(memory), texts(memory, "forgotten")) == ([], ["User loves seafood"] * 2)


def test_all_of_a_call_is_written_or_nothing(memory):
    message = FactDraft(text="User lives in Oslo", message_id="999999")
    with pytest.raises(IntegrityError):
        add(memory, SEAFOOD, message)
    assert (Fact.objects.count(), FactChange.objects.count()) == (0, 0)


def test_facts_of_another_user_are_nobodys_business(transactional_db, tiny_embedder):
    alice = MemoryManager(Options(user="alice"), tiny_embedder)
    bob = MemoryManager(Options(user="bob"), tiny_embedder)
    [told] = add(alice, FactDraft(text="User's door code is 7719", attribute="belongings"))
    assert (
        bob.facts()
        == bob.recall_facts("What is the door code?")
        == bob.similar_facts(FactDraft(text="door code"))
        == []
    )
    assert bob.fact_changes() == []
    assert bob.forget_fact(told.fact_id) == ""
    with pytest.raises(UnknownFact):
        bob.fact(told.fact_id)
    with pytest.raises(MemoryRefused):
        bob.undo_facts([told.batch])
    assert [fact.text for fact in alice.recall_facts("What is the door code?")] == [
        "User's door code is 7719"
    ]
    assert alice._facts.recall(alice.query_vector("door"), "", now=NOW, k=5, weights=None) == []


NOW = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)


def test_what_is_recalled_stays_fresh(memory):
    with time_machine.travel(NOW - timedelta(days=9), tick=False):
        add(memory, FactDraft(text="User saw an otter", kind="episodic"))
    [fact] = memory.recall_facts("otter", now=NOW)
    assert fact.score.recency == pytest.approx(0.995 ** (9 * 24))
    memory.touch_facts([fact.id], NOW)
    [fact] = memory.recall_facts("otter", now=NOW)
    assert (fact.score.recency, fact.uses, fact.last_accessed) == (1.0, 1, NOW)


def test_episodes_fade_and_preferences_do_not(memory):
    two_years = NOW - timedelta(days=730)
    with time_machine.travel(two_years, tick=False):
        for kind in ("semantic", "procedural", "episodic"):
            add(memory, FactDraft(text=f"User likes owls {kind}", kind=kind))
        early = {fact.kind: fact.score.total for fact in memory.recall_facts("owls")}
    late = {fact.kind: fact.score.total for fact in memory.recall_facts("owls", now=NOW)}
    assert (late["semantic"], late["procedural"]) == (early["semantic"], early["procedural"])
    assert late["episodic"] == pytest.approx(early["episodic"] - 0.25)


def test_the_best_few_come_and_those_replaced_or_forgotten_do_not(memory):
    told = add(memory, *(FactDraft(text=f"User saw owl number {n}", importance=n) for n in range(1, 10)))
    memory.forget_fact(told[8].fact_id)
    found = memory.recall_facts("owl number")
    assert len(found) == 5
    assert told[8].fact_id not in [fact.id for fact in found]
    assert [fact.score.total for fact in found] == sorted((f.score.total for f in found), reverse=True)


def test_a_fact_of_another_process_is_recalled_at_once(memory):
    other = MemoryManager(memory.options, TinyEmbedder())
    assert other.recall_facts("seafood") == []
    add(memory, SEAFOOD)
    assert [fact.text for fact in other.recall_facts("seafood")] == ["User loves seafood"]


def test_a_fact_outlives_the_conversation_it_was_told_in(memory):
    message = memory.write_conversational_memory("I love seafood", "user", "alice")
    [told] = add(memory, FactDraft(text="User loves seafood", message_id=message.id, quote="I love seafood"))
    assert memory.fact(told.fact_id).thread_id == "alice"
    memory.delete_thread("alice")
    fact = memory.fact(told.fact_id)
    assert (fact.message_id, fact.thread_id, fact.quote) == (None, None, "I love seafood")


def test_another_wording_from_the_message_of_a_forgotten_fact_is_refused(memory):
    message = memory.write_conversational_memory("I moved to Oslo", "user", "alice")
    [told] = add(memory, FactDraft(text="User lives in Oslo", attribute="home", message_id=message.id))
    memory.forget_fact(told.fact_id)
    again = FactDraft(text="User's town is the capital", attribute="home", message_id=message.id)
    assert add(memory, again, by="writer")[0].status == "refused"


def test_a_new_fact_is_compared_with_those_of_the_same_thing_first(memory):
    add(
        memory,
        *(FactDraft(text=f"User is vegetarian friend number {n}", attribute="people") for n in range(9)),
    )
    add(memory, SEAFOOD)
    shown = memory.similar_facts(VEGETARIAN)
    assert len(shown) == 5
    assert shown[0].text == "User loves seafood"
    assert len({fact.id for fact in shown}) == 5


@pytest.mark.parametrize(
    "weighed", [Weights(1.0, 0.25, 0.25), Weights(0.1, 1.0, 1.0), Weights(1.0, 0.0, 0.0)]
)
def test_the_ranking_is_exact_however_few_rows_are_read(memory, weighed: Weights):
    random = np.random.default_rng(5)
    vectors = unit(random.normal(size=(900, 64)))
    rows = []
    for number, vector in enumerate(vectors):
        kind, importance = ("episodic", "semantic")[number % 2], int(random.integers(1, 11))
        used = NOW - timedelta(hours=float(random.integers(0, 900)))
        row = Fact(user="me", text=f"fact {number}", key=str(number), kind=kind, importance=importance)
        row.subject, row.attribute, row.timestamp, row.last_accessed = "user", "other", used, used
        row.embedding, row.embedding_model, row.content_hash = to_bytes(vector), "tiny", str(number)
        rows.append(row)
    memory._facts.store.save(rows)
    kept = list(Fact.objects.order_by("pk"))
    query = unit(random.normal(size=(1, 64)))[0]
    totals, *_ = scores(
        relevance=(from_bytes([bytes(row.embedding) for row in kept]) @ query).astype(np.float64),
        hours=np.array([(NOW - row.last_accessed).total_seconds() / 3600 for row in kept]),
        importance=np.array([row.importance for row in kept], dtype=np.float64),
        fading=np.array([row.kind == "episodic" for row in kept]),
        weights=weighed,
    )
    expected = [kept[place].pk for place in best(totals, np.array([row.pk for row in kept]), 7)]
    found = memory._facts.recall(query, "me", now=NOW, k=7, weights=weighed)
    assert [fact.id for fact in found] == expected


def test_two_that_write_the_same_facts_at_once_leave_each_once(memory):
    # Each has connections and a matrix of its own, as two processes have.
    both = [memory, MemoryManager(memory.options, memory.embedder)]
    start = threading.Barrier(2)

    def tell(one: MemoryManager) -> list[str]:
        start.wait()
        try:
            told = [
                one.write_facts([FactDecision(FactDraft(text=f"User likes bird {number}"))], by="writer")[0]
                for number in range(12)
            ]
            return [outcome.status for outcome in told]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        statuses = [status for found in pool.map(tell, both) for status in found]
    assert sorted(statuses) == ["added"] * 12 + ["known"] * 12
    assert sorted(fact.text for fact in memory.facts()) == sorted(f"User likes bird {n}" for n in range(12))
    for one in both:
        assert one.recall_facts("bird 7")[0].text == "User likes bird 7"


def test_a_forgetting_beside_a_replacement_of_the_same_fact_leaves_one_truth(memory):
    [old] = memory.write_facts(
        [FactDecision(FactDraft(text="User loves seafood", attribute="diet"))], by="person"
    )
    memory.forget_fact(old.fact_id)
    # The model decided before the person forgot it.
    steps = (FactStep("DELETE", old.fact_id), FactStep("ADD"))
    draft = FactDraft(text="User is vegetarian", attribute="diet")
    memory.write_facts([FactDecision(draft, steps)], by="writer")
    assert [fact.text for fact in memory.facts()] == ["User is vegetarian"]
    assert memory.fact(old.fact_id).state == "forgotten"
