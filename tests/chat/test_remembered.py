"""The quiet line under an answer, with and without scripts."""

import pytest
from django.test import Client

from researchassist.agent.runner import runner
from tests.agent.test_remember import SEAFOOD, writer_of
from tests.chat.test_turns import HTMX, only_turn, send

pytestmark = pytest.mark.django_db(transaction=True)

LINE = "remembered: User loves seafood"


def test_what_was_remembered_stands_under_the_answer_and_is_taken_back_without_scripts(
    client: Client, assistant_with, memory
):
    assistant_with("Good.", writer=writer_of([SEAFOOD]))
    send(client, "I love seafood")
    page = client.get("/threads/t1").content.decode()
    assert LINE in page
    turn = only_turn(memory)
    assert f'action="/turns/{turn.id}/unremember"' in page
    response = client.post(f"/turns/{turn.id}/unremember")
    assert (response.status_code, response["Location"]) == (302, f"/threads/t1#turn-{turn.id}")
    assert memory.facts() == []
    assert LINE not in client.get("/threads/t1").content.decode()


def test_a_fragment_waits_for_it_then_shows_it_and_says_when_it_is_gone(
    client: Client, assistant_with, memory
):
    writer = writer_of([SEAFOOD])
    assistant = assistant_with("Good.", writer=writer)
    send(client, "I love seafood")
    turn = only_turn(memory)
    memory.undo_facts([change.batch for change in memory.fact_changes_of_turns([turn.id])])
    memory.note_helper(turn.id, "facts", {"status": "pending"})
    waiting = client.get(f"/turns/{turn.id}/remembered", headers=HTMX).content.decode()
    assert 'hx-trigger="load delay:2s"' in waiting
    memory.note_helper(turn.id, "facts", {"status": "pending", "attempts": 1, "error": "It is down."})
    assert "hx-get" not in client.get(f"/turns/{turn.id}/remembered", headers=HTMX).content.decode()
    assert assistant.writer is writer
    send(client, "I love seafood", thread="t2", key="f" * 32)
    assert client.post(f"/turns/{turn.id}/unremember", headers=HTMX).status_code == 422


def test_undo_answers_a_fragment_with_the_line_that_took_its_place(client: Client, assistant_with, memory):
    assistant_with("Good.", writer=writer_of([SEAFOOD]))
    send(client, "I love seafood")
    turn = only_turn(memory)
    shown = client.get(f"/turns/{turn.id}/remembered", headers=HTMX).content.decode()
    assert LINE in shown
    gone = client.post(f"/turns/{turn.id}/unremember", headers=HTMX).content.decode()
    assert "Not remembered any more." in gone


def test_what_is_remembered_is_text_whatever_it_holds(client: Client, assistant_with, memory):
    fact = {"quote": "I like <b>owls</b>", "fact": "User likes <b>owls</b>"}
    assistant_with("Good.", writer=writer_of([fact]))
    send(client, "I like <b>owls</b>")
    page = client.get("/threads/t1").content.decode()
    assert "remembered: User likes &lt;b&gt;owls&lt;/b&gt;" in page


def test_where_nothing_was_remembered_there_is_no_line(client: Client, assistant_with):
    assistant_with("An owl.", writer=writer_of())
    send(client, "Who hunts at night?")
    runner().wait_idle()
    assert 'class="remembered' not in client.get("/threads/t1").content.decode()
    assert client.get("/turns/none/remembered", headers=HTMX).status_code == 404


def test_the_fold_out_shows_the_facts_with_the_parts_of_their_scores(client: Client, assistant_with, memory):
    assistant_with("Good.", "Sushi.", writer=writer_of(lambda prompt: [SEAFOOD] if "love" in prompt else []))
    send(client, "I love seafood")
    send(client, "Is seafood good?", thread="t2", key="e" * 32)
    shown = client.get(f"/turns/{only_turn(memory, 't2').id}/used", headers=HTMX).content.decode()
    assert "Facts about you recalled" in shown
    assert "User loves seafood" in shown
    for part in ("Relevance", "Recency", "Importance"):
        assert part in shown
    assert "1.00" in shown
    assert "0.60" in shown
