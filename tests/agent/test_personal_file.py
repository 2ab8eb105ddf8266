"""All personal memory out, in again, and gone for good."""

import json
from pathlib import Path

import pytest
from django.conf import settings as real

from researchassist.agent import core_memory
from researchassist.agent.personal_file import read, written
from researchassist.agent.turn import call_agent
from researchassist.errors import UnreadableFile
from researchassist.memory.fact_records import FactDecision, FactDraft, FactStep
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import CommandRun, Fact, FactChange, Turn
from researchassist.options import Options
from tests.agent.test_remember import SEAFOOD, VEGETARIAN, writer_of
from tests.memory.test_lessons import plant
from tests.scripted_llm import calls


@pytest.fixture
def lived(memory, assistant_with) -> MemoryManager:
    """A memory with facts of every state, their history, core memory, a profile and a turn that used it."""
    assistant = assistant_with("Good.", forever=True, writer=writer_of([SEAFOOD]))
    call_agent(assistant, "I love seafood", "alice")
    decision = FactDecision(
        FactDraft(text="User is vegetarian", attribute="diet"),
        (FactStep("DELETE", memory.facts()[0].id), FactStep("ADD")),
    )
    memory.write_facts([decision], by="writer")
    owls, cats = (FactDraft(text=f"User likes {one}", attribute="taste") for one in ("owls", "cats"))
    told = memory.write_facts([FactDecision(owls), FactDecision(cats)], by="person")
    memory.forget_fact(told[1].fact_id)
    core_memory.edit(memory, "Is a physicist.")
    memory.write_profile("User reads papers.", folded=[], before=None)
    plant(memory)
    call_agent(assistant_with("Owls."), "Which birds do I like?", "bob")
    return memory


def told(memory: MemoryManager) -> list[tuple]:
    facts = memory.facts(("active", "replaced", "forgotten"))
    return [
        (f.text, f.state, f.kind, f.importance, f.attribute, f.told_at, f.last_accessed, f.uses)
        for f in facts
    ]


def test_memory_goes_through_a_file_and_comes_back_as_it_was(lived):
    file, before = written(lived), told(lived)
    history = [(c.operation, c.before.get("text"), c.after.get("text")) for c in lived.fact_changes()]
    lived.erase_personal_memory()
    done = read(lived, file)
    assert (done.restored, told(lived)) == (True, before)
    assert [(c.operation, c.before.get("text"), c.after.get("text")) for c in lived.fact_changes()] == history
    assert (lived.read_core_memory(), lived.profile().text) == ("Is a physicist.", "User reads papers.")
    assert [one.meta["outcome"] for one in lived.lessons()] == ["solved"] * 3
    assert lived.recall_lessons("API failure report")
    assert lived.recall_facts("vegetarian")[0].text == "User is vegetarian"
    while lived.latest_fact_change():
        lived.undo_facts([lived.latest_fact_change().batch])
    assert lived.facts() == []


def test_a_memory_that_is_not_empty_gets_the_facts_that_hold_and_nothing_forgotten(lived, tiny_embedder):
    file = written(lived)
    other = MemoryManager(Options(user="bob"), tiny_embedder)
    owls = FactDraft(text="User likes owls", attribute="taste")
    [known] = other.write_facts([FactDecision(owls)], by="person")
    other.forget_fact(known.fact_id)
    core_memory.edit(other, "Is a poet.")
    done = read(other, file)
    assert (done.restored, done.added, len(done.refused)) == (False, 1, 1)
    assert [fact.text for fact in other.facts()] == ["User is vegetarian"]
    assert other.read_core_memory() == "Is a poet."
    assert read(other, file).known == 1


def test_everything_that_is_erased_is_gone_also_from_what_answers_used(lived):
    lived.start_command(thread_id="bob", name="memory", argument="", key="k", owner="me")
    stranger = MemoryManager(Options(user="carol"), lived.embedder)
    stranger.write_facts([FactDecision(FactDraft(text="User likes tea"))], by="person")
    lived.erase_personal_memory()
    assert not lived.has_personal_memory()
    assert FactChange.objects.count() == Fact.objects.count() == 1
    assert lived.lessons() == []
    assert (lived.recall_facts("owls"), lived.sessions(), CommandRun.objects.count()) == ([], [], 0)
    kept = json.dumps([[turn.used, turn.helpers] for turn in Turn.objects.all()])
    for word in ("vegetarian", "likes owls", "physicist", "reads papers", "User loves seafood"):
        assert word not in kept
    assert len(lived.messages("alice")) == 2
    assert [fact.text for fact in stranger.facts()] == ["User likes tea"]
    raw = Path(real.DATABASES["default"]["NAME"]).read_bytes()
    assert b"User is vegetarian" not in raw


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"format": "researchassist personal memory", "version": 9}',
        '{"format": "researchassist personal memory", "version": 1}',
        '{"format": "researchassist personal memory", "version": 1, "facts": [{}], "fact_changes": [],'
        ' "lessons": [],'
        ' "core_memory": [], "profile": []}',
    ],
)
def test_another_file_is_refused_and_changes_nothing(memory, text: str):
    with pytest.raises(UnreadableFile):
        read(memory, text)
    assert not memory.has_personal_memory()


def test_a_changed_vegetarian_is_still_one_fact(lived, assistant_with):
    # What was restored goes on as before: the same is known, the contradicted does not return.
    file = written(lived)
    lived.erase_personal_memory()
    read(lived, file)
    call_agent(assistant_with("Good.", writer=writer_of([VEGETARIAN])), "I am vegetarian", "carol")
    assert [fact.text for fact in lived.facts()] == ["User is vegetarian", "User likes owls"]


def test_what_was_read_from_a_file_is_written_the_same_again(lived):
    # Numbers in the file are its own, whatever rows the database has; also after a second way round.
    drawn = FactDraft(text="User likes birds", attribute="taste", sources=("fact 3", "episode 2"))
    lived.write_facts([FactDecision(drawn)], by="reflection")
    file = written(lived)
    for _ in range(2):
        lived.erase_personal_memory()
        assert read(lived, file).restored
        assert written(lived) == file
    owls = next(fact for fact in lived.facts() if fact.text == "User likes owls")
    birds = next(fact for fact in lived.facts() if fact.text == "User likes birds")
    assert birds.sources == (f"fact {owls.id}", f"episode {lived.lessons()[1].id}")
    lived.erase_personal_memory()


def test_what_was_read_can_be_undone_where_its_conversation_never_was(lived):
    lived.forget_fact(lived.facts()[0].id)
    file = written(lived)
    lived.erase_personal_memory()
    lived.delete_thread("alice")
    read(lived, file)
    while lived.latest_fact_change():
        lived.undo_facts([lived.latest_fact_change().batch])
    assert lived.facts() == []


def test_no_word_of_it_is_left_in_the_file_of_the_database(assistant_with, memory):
    # "zanzibar" by the person in a conversation that was deleted, the others as memory alone.
    wrote = calls(("core_memory_append", '{"text": "Kumquat, I love zanzibar", "quote": "I love zanzibar"}'))
    told = {"quote": "I love zanzibar", "fact": "User loves zanzibar"}
    call_agent(assistant_with(wrote, "Noted.", writer=writer_of([told])), "I love zanzibar", "alice")
    wrote = calls(("core_memory_append", '{"text": "Marimba, I play at home", "quote": "I play at home"}'))
    call_agent(assistant_with(wrote, "Noted."), "I play at home", "bob")
    memory.write_facts([FactDecision(FactDraft(text="User keeps an ocelot"))], by="person")
    memory.write_profile("The user plays the theremin.", folded=[], before=None)
    call_agent(assistant_with("Good."), "What do I play at home?", "carol")
    memory.start_command(thread_id="bob", name="remember", argument="I own a qwertz", key="k", owner="me")
    memory.forget_thread("alice")
    memory.erase_personal_memory()
    raw = Path(real.DATABASES["default"]["NAME"]).read_bytes().lower()
    for word in (b"zanzibar", b"kumquat", b"marimba", b"ocelot", b"theremin", b"qwertz"):
        assert word not in raw
    assert [message.content for message in memory.messages("bob")] == ["I play at home", "Noted."]
    [log] = memory.read_tool_log("bob")
    assert log.result == "Erased with personal memory."
