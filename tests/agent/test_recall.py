"""What is recalled of the person stands in the system message: the best few, within bounds, once."""

import pytest
from pydantic import ValidationError

from researchassist.agent import core_memory, personal
from researchassist.agent.context import assemble
from researchassist.agent.turn import call_agent
from researchassist.memory.fact_records import FactDecision, FactDraft
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.agent.test_remember import SEAFOOD, writer_of
from tests.scripted_llm import ScriptedLLM


def tell(memory: MemoryManager, *facts: str, **fields) -> list[int]:
    drafts = [FactDecision(FactDraft(text=text, **fields)) for text in facts]
    return [one.fact_id for one in memory.write_facts(drafts, by="person")]


def asked(memory: MemoryManager, question: str = "What do I like?", thread: str = "bob"):
    return assemble(memory, memory.write_conversational_memory(question, "user", thread), "source-12345678")


def given(context) -> list[str]:
    return [
        fact["text"] for section in context.remembered if section.key == "facts" for fact in section.given
    ]


def test_a_fact_told_in_one_thread_stands_in_the_first_input_of_another(assistant_with, memory):
    assistant = assistant_with("Good.", "Sushi.", writer=writer_of([SEAFOOD]))
    call_agent(assistant, "I love seafood", "alice")
    call_agent(assistant, "What should I eat?", "bob")
    system = assistant.model.requests[1].system
    assert "- User loves seafood (told 20" in system
    assert "seafood" not in assistant.model.requests[1].user
    assert system.index("# Core memory") < system.index("# Facts about the person")


def test_case_b26_what_one_person_told_is_in_no_request_for_another(assistant_with, memory, tiny_embedder):
    """Case B26: facts, core memory and the profile of one user, against every request for another."""
    tell(memory, "User's door code is 7719", attribute="belongings")
    core_memory.edit(memory, "The door code is 7719.")
    memory.write_profile("The user's door code is 7719.", folded=[], before=None)
    question = "I wonder, what is my door code?"
    own = assistant_with("7719.")
    call_agent(own, question, "mine")
    assert own.model.requests[0].system.count("7719") >= 2
    memory.delete_thread("mine")
    with pytest.raises(ValidationError):
        Options(user="")  # nobody has no memory at all
    stranger = MemoryManager(Options(user="bob"), tiny_embedder)
    writer = writer_of()
    other = assistant_with("I do not know.", writer=writer, memory=stranger)
    call_agent(other, question, "other")
    requests = [*other.model.requests, *writer.requests]
    assert len(requests) > 1
    assert not [request for request in requests if "7719" in str(request.messages)]
    assert (stranger.facts(), stranger.profile(), stranger.read_core_memory()) == ([], None, "")


def test_what_was_recalled_is_touched_and_kept_on_the_turn_with_its_three_parts(assistant_with, memory):
    [number] = tell(memory, "User loves owls", importance=7)
    before = memory.fact(number)
    turn = call_agent(assistant_with("Owls."), "Which birds do I love, owls?", "bob").turn
    after = memory.fact(number)
    assert after.last_accessed > before.last_accessed
    assert (before.uses, after.uses) == (0, 1)
    [fact] = turn.used["given"]["facts"]
    assert (fact["id"], fact["text"], fact["recency"], fact["importance"]) == (
        number,
        "User loves owls",
        1.0,
        0.7,
    )
    assert fact["score"] == pytest.approx(fact["relevance"] + 0.25 + 0.25 * 0.7, abs=2e-3)
    assert turn.used["tokens"]["facts"] > 0


def test_only_what_a_turn_was_given_is_touched(assistant_with, memory):
    told = tell(memory, *(f"User knows owl number {number}" for number in range(8)))
    asked(memory, "owl number")
    assert [memory.fact(one).uses for one in told] == [0] * 8
    call_agent(assistant_with("Owls."), "owl number", "bob")
    assert sorted(memory.fact(one).uses for one in told) == [0] * 3 + [1] * 5


def test_five_facts_and_no_more_than_their_allowance(transactional_db, tiny_embedder):
    small = MemoryManager(Options(allow_facts=40), tiny_embedder)
    tell(small, *(f"User knows owl number {number}, which lives in a tall tree" for number in range(8)))
    assert len(given(asked(MemoryManager(Options(), tiny_embedder), "owl number"))) == 5
    context = asked(small, "owl number")
    assert len(given(context)) == 2
    assert sum(personal.tokens(s, "source-1") for s in context.remembered if s.key == "facts") < 120


def test_a_fact_stands_in_a_request_once(memory):
    message = memory.write_conversational_memory("My seal is QX-77", "user", "bob")
    tell(memory, "User's seal is QX-77", quote="My seal is QX-77", message_id=message.id)
    assert given(asked(memory, "What is my seal?")) == []
    assert given(asked(memory, "What is my seal?", "carol")) == ["User's seal is QX-77"]
    memory.write_conversational_memory("so: my  seal is qx-77.", "user", "dave")
    assert given(asked(memory, "What is my seal?", "dave")) == []


def test_what_core_memory_or_a_listed_summary_says_is_not_said_again(memory):
    tell(memory, "User's seal is QX-77", "User likes owls")
    memory.write_thread("bob")
    memory.write_summary(
        full_content="x", summary="y", description="Seal QX-77 of the user noted", thread_id="bob"
    )
    core_memory.edit(memory, "Likes owls.")
    assert given(asked(memory, "What do I like, and my seal?")) == []


def test_a_question_that_has_the_words_of_a_fact_still_gets_it(memory):
    tell(memory, "User loves seafood", quote="I love seafood")
    memory.write_conversational_memory("Do I love seafood?", "user", "bob")
    assert given(asked(memory, "I love seafood, don't I?")) == ["User loves seafood"]


def test_freed_places_go_to_the_next_facts(memory):
    core_memory.edit(memory, "\n".join(f"Knows owl number {number}." for number in range(5)))
    tell(memory, *(f"User knows owl number {number}" for number in range(9)))
    assert len(given(asked(memory, "owl number"))) == 4


def test_nothing_known_leaves_no_trace(memory):
    assert "Facts about the person" not in asked(memory).system_content()


def test_an_answer_that_repeats_a_fact_teaches_nothing(assistant_with, memory):
    [number] = tell(memory, "User loves seafood")
    again = {"quote": "You love seafood", "fact": "User loves seafood very much"}
    assistant = assistant_with("You love seafood.", forever=True, writer=writer_of([again]))
    sizes = []
    for _ in range(4):
        call_agent(assistant, "What do I love?", "bob")
        sizes.append(len(assistant.model.requests[-1].system))
    assert [fact.id for fact in memory.facts()] == [number]
    assert max(sizes) - min(sizes) < 20


def test_a_model_without_facts_asks_nothing_of_them(assistant_with, memory):
    writer = ScriptedLLM("[]", forever=True)
    turn = call_agent(assistant_with("Owls.", writer=writer), "Who hunts at night?", "bob").turn
    assert "facts" not in turn.used["given"]
