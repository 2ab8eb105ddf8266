"""Asking again makes a branch: what was left is kept, reachable, and in no read."""

import importlib
import random

import pytest
from django.apps import apps
from django.db import connection

from researchassist.agent.condense import Condenser, expanded
from researchassist.agent.context import assemble
from researchassist.errors import TurnRefused, UnknownMessage
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import ConversationalMemory, SummaryMemory, Thread
from researchassist.memory.stores.turns import Place
from researchassist.options import Options
from tests.tiny_embedder import TinyEmbedder

_keys = iter(range(10**9))


def ask(memory, query: str, *, edit_of: str | None = None, answer: str = "", thread: str = "t", branch=None):
    """One whole turn; the answer names its question."""
    place = Place(edit_of, branch)
    key = f"k{next(_keys)}"
    turn = memory.open_turn(thread_id=thread, query=query, key=key, owner="1@1", model="m", place=place)
    text = answer or f"re {query}"
    return memory.finish_turn(turn, outcome="answered", answer=text, steps=["look()"], used={}, helpers={})


def said(memory, thread: str = "t") -> list[str]:
    return [message.content for message in memory.messages(thread)]


def condense(memory, count: int):
    """A summary of the first `count` messages that none covers."""
    return memory.write_summary(
        full_content="x",
        summary="About birds",
        description="About birds",
        thread_id="t",
        messages=memory.unconsolidated_messages("t")[:count],
    )


def listed(memory, thread: str = "t") -> list[str]:
    return [record.id for record in memory.read_summary_context("birds", thread).records]


def test_an_edited_question_takes_the_place_of_the_old_one_and_what_followed(memory):
    ask(memory, "one")
    two = ask(memory, "two")
    ask(memory, "three")
    ask(memory, "two again", edit_of=two.question.id)
    assert said(memory) == ["one", "re one", "two again", "re two again"]
    assert ConversationalMemory.objects.count() == 8


def test_the_earlier_branch_comes_back_whole_and_the_other_steps_aside(memory):
    ask(memory, "one")
    two = ask(memory, "two")
    ask(memory, "three")
    again = ask(memory, "two again", edit_of=two.question.id)
    memory.show_version(two.question.id)
    assert said(memory) == ["one", "re one", "two", "re two", "three", "re three"]
    memory.show_version(again.question.id)
    assert said(memory) == ["one", "re one", "two again", "re two again"]


def test_versions_are_told_in_the_order_they_were_asked(memory):
    first = ask(memory, "one")
    second = ask(memory, "uno", edit_of=first.question.id)
    third = ask(memory, "eins", edit_of=second.question.id)
    ids = (first.question.id, second.question.id, third.question.id)
    after = ask(memory, "two")
    found = memory.versions([third.question, after.question])
    assert found == {third.question.id: ids, after.question.id: (after.question.id,)}


def test_a_branch_within_a_branch_is_as_it_was_left(memory):
    one = ask(memory, "one")
    two = ask(memory, "two")
    again = ask(memory, "two again", edit_of=two.question.id)
    ask(memory, "uno", edit_of=one.question.id)
    memory.show_version(one.question.id)
    assert said(memory) == ["one", "re one", "two again", "re two again"]
    memory.show_version(two.question.id)
    assert said(memory)[2:] == ["two", "re two"]
    # Two choices deep, in one step: the message a search found.
    uno = memory.versions([memory.message(one.question.id)])[one.question.id][1]
    memory.show_version(uno)
    memory.show_version(again.question.id)
    assert said(memory)[2:] == ["two again", "re two again"]


def test_superseded_messages_are_in_no_read(memory):
    ask(memory, "one")
    old = ask(memory, "old owl")
    ask(memory, "new heron", edit_of=old.question.id)
    question = memory.write_conversational_memory("And now?", "user", "t")
    context = assemble(memory, question, "source-1")
    assert "old owl" not in context.user_content()
    assert "new heron" in context.user_content()
    assert context.hidden == 0
    memory.embed_messages(99)
    assert "old owl" not in [hit.message.content for hit in memory.recall_messages("old owl").hits]
    assert "old owl" not in [message.content for message in memory.unconsolidated_messages("t")]
    assert [turn.question.content for turn in memory.turns("t")] == ["one", "new heron"]


def test_a_summary_of_superseded_messages_is_not_listed_and_still_opens(memory):
    old = ask(memory, "old owl")
    made = condense(memory, 2)
    ask(memory, "new", edit_of=old.question.id)
    assert listed(memory) == listed(memory, "elsewhere") == []
    assert "old owl" in expanded(memory, made.id)
    memory.show_version(old.question.id)
    assert listed(memory) == listed(memory, "elsewhere") == [made.id]


def test_a_summary_that_mixes_lets_go_of_what_still_holds_and_takes_it_back(memory):
    ask(memory, "one")
    two = ask(memory, "two")
    made = condense(memory, 4)
    again = ask(memory, "two again", edit_of=two.question.id)
    assert listed(memory) == []
    assert [m.content for m in memory.unconsolidated_messages("t")] == said(memory)
    assert [m.content for m in memory.messages_of_summary(made.id)] == ["one", "re one", "two", "re two"]
    memory.show_version(two.question.id)
    assert listed(memory) == [made.id]
    assert memory.unconsolidated_messages("t") == []
    memory.show_version(again.question.id)
    other = condense(memory, 4)
    memory.show_version(two.question.id)
    assert listed(memory) == [made.id]
    memory.show_version(again.question.id)
    assert listed(memory) == [other.id]


def test_a_message_that_is_superseded_meanwhile_is_not_condensed(memory):
    old = ask(memory, "old owl")
    read = memory.unconsolidated_messages("t")
    ask(memory, "new", edit_of=old.question.id)
    kept = memory.write_summary(full_content="x", summary="y", description="z", thread_id="t", messages=read)
    assert kept is None
    assert memory.sizes()["summary_memory"] == 0


def test_a_way_of_working_goes_with_its_question_and_comes_back(memory):
    old = ask(memory, "Find the owl")
    ask(memory, "Find the heron", edit_of=old.question.id)
    assert [w.query for w in memory.read_workflow("Find").records] == ["Find the heron"]
    memory.show_version(old.question.id)
    assert [w.query for w in memory.read_workflow("Find").records] == ["Find the owl"]


def test_while_a_turn_runs_nothing_is_asked_again_or_shown(memory):
    one = ask(memory, "one")
    two = ask(memory, "uno", edit_of=one.question.id)
    memory.open_turn(thread_id="t", query="now", key="running", owner="1@1", model="m")
    for attempt in (
        lambda: ask(memory, "x", edit_of=two.question.id),
        lambda: memory.show_version(one.question.id),
    ):
        with pytest.raises(TurnRefused) as refused:
            attempt()
        assert refused.value.reason == "busy"
    assert said(memory) == ["uno", "re uno", "now"]


def test_a_page_of_another_branch_is_told_and_nothing_is_stored(memory):
    one = ask(memory, "one")
    seen = memory.thread("t").branch
    ask(memory, "uno", edit_of=one.question.id)
    for query in ({"branch": seen}, {"edit_of": one.question.id}):
        with pytest.raises(TurnRefused) as refused:
            ask(memory, "two", **query)
        assert refused.value.reason == "moved"
    ask(memory, "two", branch=memory.thread("t").branch)
    assert said(memory) == ["uno", "re uno", "two", "re two"]


def test_only_a_question_of_this_thread_is_edited(memory):
    one = ask(memory, "one")
    ask(memory, "other", thread="u")
    for edit_of in (one.answer.id, "999999", "x", "9" * 40):
        with pytest.raises(UnknownMessage):
            ask(memory, "x", edit_of=edit_of)
    with pytest.raises(UnknownMessage):
        ask(memory, "x", edit_of=one.question.id, thread="u")
    assert said(memory) == ["one", "re one"]


def test_showing_what_is_shown_changes_nothing(memory):
    one = ask(memory, "one")
    memory.show_version(one.question.id)
    assert memory.thread("t").branch == 0


def test_the_title_follows_the_first_question_unless_a_person_gave_one(memory):
    one = ask(memory, "one")
    two = ask(memory, "uno", edit_of=one.question.id)
    assert memory.thread("t").title == "uno"
    memory.rename_thread("t", "Numbers")
    ask(memory, "eins", edit_of=two.question.id)
    assert (memory.thread("t").title, memory.thread("t").titled_by) == ("Numbers", "person")


def test_a_memory_from_before_there_were_branches_is_one_branch(memory):
    ask(memory, "one")
    ask(memory, "two", thread="u")
    memory.rename_thread("u", "Numbers")
    made = condense(memory, 2)
    path = [(m.id, m.parent_id) for m in memory.messages("t")]
    ConversationalMemory.objects.update(parent=None)
    Thread.objects.update(titled_by="")
    SummaryMemory.objects.update(metadata={})
    migration = importlib.import_module("researchassist.memory.migrations.0007_branches")
    with connection.schema_editor() as editor:
        migration.fill(apps, editor)
    assert [(m.id, m.parent_id) for m in memory.messages("t")] == path
    assert [memory.thread(thread).titled_by for thread in ("t", "u")] == ["words", "person"]
    assert len(memory.messages_of_summary(made.id)) == 2


def test_whatever_is_edited_shown_and_condensed_no_message_is_silently_invisible(transactional_db):
    """Promise 2 with branches, and that going there and back changes no read."""
    chance = random.Random(5)
    memory = MemoryManager(
        Options(conversation_limit=4, summary_k=3, summary_input_chars=500), TinyEmbedder()
    )
    condenser = Condenser(memory, None)
    for step in range(40):
        messages = memory.messages("t")
        questions = [m for m in messages if m.role == "user"]
        choice = chance.random()
        if choice < 0.45 or not questions:
            ask(memory, f"question {step} " + "word " * chance.randrange(20))
        elif choice < 0.65:
            ask(memory, f"edited {step}", edit_of=chance.choice(questions).id)
        elif choice < 0.85:
            versions = memory.versions(questions)
            other = chance.choice(versions[chance.choice(questions).id])
            before = _reads(memory)
            memory.show_version(other)
            memory.show_version(messages[-1].id)
            assert _reads(memory) == before
            memory.show_version(other)
        else:
            condenser.condense_thread("t", keep=chance.randrange(5))
        _check(memory)


def _reads(memory) -> tuple[object, ...]:
    covered = [(message.id, message.summary_id) for message in memory.messages("t")]
    return covered, listed(memory), [turn.id for turn in memory.turns("t")]


def _check(memory) -> None:
    question = memory.write_conversational_memory("And now?", "user", "t")
    context = assemble(memory, question, "source-1")
    earlier = memory.messages("t")[:-1]
    shown = {m.id for m in context.conversation.records}
    ids = {record.id for record in context.summary.records}
    covered = {m.id for m in earlier if m.summary_id in ids}
    assert shown <= {m.id for m in earlier}
    assert len(shown | covered) + context.hidden == len(earlier)
    assert [m.parent_id for m in earlier[1:]] == [m.id for m in earlier[:-1]]
    superseded = ConversationalMemory.objects.filter(superseded_at__isnull=False)
    assert not superseded.filter(summary_id__in=ids).exists()
    ConversationalMemory.objects.filter(pk=question.id).delete()
