"""/private"""

import pytest

from researchassist.agent import core_memory
from researchassist.agent.turn import call_agent
from researchassist.errors import CommandRefused
from researchassist.memory.stores.message_search import MessageFilter
from tests.agent.test_recall import asked, given
from tests.agent.test_remember import SEAFOOD, writer_of
from tests.scripted_llm import calls


def recalled(memory, asker) -> list[str]:
    """The ids of all messages that recall gives for a question."""
    where = MessageFilter(before=asker)
    return [hit.message.id for hit in memory.recall_messages("seal", where=where).hits]


NOW = ("get_current_time", "{}")


def test_a_private_conversation_leaves_nothing_behind(give, assistant_with, memory):
    give("private")
    writer = writer_of([SEAFOOD])
    core = ("core_memory_append", '{"text": "Loves seafood.", "quote": "I love seafood"}')
    assistant = assistant_with(calls(NOW, core), "Good.", writer=writer)
    turn = call_agent(assistant, "I love seafood", "alice").turn
    assert [call["status"] for call in turn.used["calls"]] == ["success", "failed"]
    assert (memory.facts(), memory.read_core_memory()) == ([], "")
    assert memory.read_workflow("I love seafood").records == ()
    assert memory.read_entity("seafood").records == ()
    assert {state["status"] for state in memory.turn(turn.id).helpers.values()} == {"skipped", "ok"}
    assert not any("JSON" in str(request.messages) for request in writer.requests)


def test_other_conversations_do_not_find_it_and_it_finds_itself(give, memory):
    give("private")
    message = memory.write_conversational_memory("The seal is QX-77", "user", "alice")
    memory.write_summary(
        full_content="x", summary="The seal", description="The seal", thread_id="alice", messages=[message]
    )
    other = memory.write_conversational_memory("seal?", "user", "bob")
    own = memory.write_conversational_memory("seal?", "user", "alice")
    assert recalled(memory, other) == []
    assert message.id in recalled(memory, own)
    for asker, total in ((other, 0), (own, 2)):
        assert memory.search_messages("seal", where=MessageFilter(before=asker)).total == total
    assert memory.read_summary_context("seal", "bob").records == ()
    assert len(memory.read_summary_context("seal", "alice").records) == 1


def test_it_still_knows_the_person_unless_it_is_closed(give, memory):
    give("remember", "I love seafood")
    core_memory.edit(memory, "Is a physicist.")
    give("private")
    assert given(asked(memory, thread="alice")) == ["I love seafood"]
    give("private", "closed")
    assert asked(memory, thread="alice").remembered == ()
    give("private", "off")
    assert given(asked(memory, thread="alice")) == ["I love seafood"]


def test_other_words_are_refused(give):
    with pytest.raises(CommandRefused):
        give("private", "please")
