"""What is opened from an answer: its Markdown, a passage it was given, a summary with its originals."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import call_agent
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import TurnRecord
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from tests.scripted_llm import calls

pytestmark = pytest.mark.django_db(transaction=True)

HTMX = {"HX-Request": "true"}
TEXT = "Tiered ledgers cut resumption errors by 41 %. Rain fell all day. Two tiers would do."


@pytest.fixture
def owls(memory: MemoryManager) -> str:
    """A document with one passage; its id."""
    draft = DocumentDraft(
        source="k.pdf", kind="pdf", title="Kestrel <b>", file_hash="k", url="https://example.org/k"
    )
    memory.write_document(draft, [PassageDraft(text=TEXT, start=0, end=len(TEXT), metadata={"page": 4})])
    return memory.read_knowledge_base("ledgers", k=9).records[0].id


def answered(assistant: Assistant, text: str, question: str = "What do tiered ledgers cut?") -> TurnRecord:
    assistant.model.replies = [text]  # type: ignore[attr-defined]
    return call_agent(assistant, question, "t1").turn


def test_an_answer_is_copied_with_what_its_marks_stand_for(
    client: Client, assistant_with: Callable[..., Assistant], owls: str
) -> None:
    turn = answered(assistant_with("x"), f"By 41 % [p{owls}], see [p999] and `a[1]`.\n")
    assert turn.answer
    response = client.get(f"/messages/{turn.answer.id}.md")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode() == (
        "By 41 % [1], see [p999] and `a[1]`.\n\nSources:\n[1] Kestrel <b>, page 4 (k.pdf)\n"
    )
    assert client.get(f"/messages/{turn.question.id}.md").content.decode() == turn.question.content
    assert client.get("/messages/999.md").status_code == 404


def test_a_passage_opens_at_the_words_its_mark_ends(
    client: Client, assistant_with: Callable[..., Assistant], owls: str
) -> None:
    text = f"Ledgers **cut resumption errors by 41 %** [p{owls}]. Two tiers would do, it says [p{owls}]."
    turn = answered(assistant_with("x"), text)
    first = client.get(f"/turns/{turn.id}/passages/{owls}?mark=0", headers=HTMX).content.decode()
    second = client.get(f"/turns/{turn.id}/passages/{owls}?mark=1").content.decode()
    assert "Kestrel &lt;b&gt;" in first
    assert "Page 4" in first
    assert "<mark>" in first
    assert first.split("<mark>")[1].split("</mark>")[0] == "ledgers cut resumption errors by 41"
    assert "<!doctype" not in first
    assert "<mark>Two tiers would do.</mark>" in second
    assert 'href="https://example.org/k"' in second
    assert second.startswith("<!doctype")


@pytest.mark.parametrize("mark", ["", "?mark=99", "?mark=-1", "?mark=x", "?mark=" + "9" * 30])
def test_a_passage_opens_whatever_mark_is_named(
    client: Client, assistant_with: Callable[..., Assistant], owls: str, mark: str
) -> None:
    turn = answered(assistant_with("x"), f"By 41 % [p{owls}].")
    page = client.get(f"/turns/{turn.id}/passages/{owls}{mark}").content.decode()
    assert "Rain fell all day." in page
    assert "<mark>" not in page


def test_what_an_answer_was_not_given_does_not_open_from_it(
    client: Client, assistant_with: Callable[..., Assistant], memory: MemoryManager, owls: str
) -> None:
    turn = answered(assistant_with("x"), f"By 41 % [p{owls}].")
    other = memory.write_knowledge_base("Wrens are small.", {"title": "Wrens"}).id
    response = client.get(f"/turns/{turn.id}/passages/{other}")
    assert response.status_code == 404
    assert "was not given such a passage" in response.content.decode()


def test_a_mark_copied_from_an_earlier_answer_is_none_where_its_passage_is_not_given(
    client: Client, assistant_with: Callable[..., Assistant], memory: MemoryManager, owls: str
) -> None:
    assistant = assistant_with("x")
    answered(assistant, f"By 41 % [p{owls}].")
    memory.delete_document(memory.documents()[0].id)
    memory.write_knowledge_base("zebra quagga", {"title": "Zebras", "source": "z"})
    answered(assistant, f"As I said, by 41 % [p{owls}].", question="zebra quagga?")
    page = client.get("/threads/t1").content.decode()
    assert page.count('class="mark-number" href') == 1
    assert f"As I said, by 41 % [p{owls}]." in page


def test_deleted_sources_are_asked_for_once_however_long_the_thread(
    client: Client, assistant_with: Callable[..., Assistant], owls: str
) -> None:
    assistant = assistant_with("x")
    answered(assistant, f"By 41 % [p{owls}].")
    client.get("/threads/t1")
    with CaptureQueriesContext(connection) as few:
        client.get("/threads/t1")
    for _ in range(4):
        answered(assistant, f"By 41 % [p{owls}].")
    with CaptureQueriesContext(connection) as many:
        client.get("/threads/t1")
    assert len(many) == len(few)


def test_a_summary_opens_into_the_original_messages(
    client: Client, assistant_with: Callable[..., Assistant], memory: MemoryManager
) -> None:
    assistant_with("x")
    for number in range(3):
        memory.write_conversational_memory(f"message <{number}>\n  word for word", "user", "t1")
    record = memory.write_summary(
        full_content="x",
        summary="### Technical Information\n- **owls**",
        description="Three messages about owls",
        thread_id="t1",
        messages=memory.messages("t1"),
    )
    assert record
    page = client.get(f"/summaries/{record.id}").content.decode()
    part = client.get(f"/summaries/{record.id}", headers=HTMX).content.decode()
    assert "Three messages about owls" in page
    assert "<strong>owls</strong>" in part
    assert "Original messages (3)" in part
    assert all(f"message &lt;{n}&gt;\n  word for word" in part for n in range(3))
    assert "<!doctype" not in part
    assert client.get("/summaries/nope").status_code == 404
    assert f'href="/summaries/{record.id}"' in client.get("/threads/t1").content.decode()


def test_the_fold_out_shows_calls_in_words_and_summaries_that_open(
    client: Client, assistant_with: Callable[..., Assistant], memory: MemoryManager, owls: str
) -> None:
    memory.write_conversational_memory("An earlier word", "user", "t1")
    old = memory.write_conversational_memory("older", "user", "t0")
    record = memory.write_summary(
        full_content="x", summary="y", description="Ledgers of old", thread_id="t1", messages=[old]
    )
    assert record
    assistant = assistant_with(calls(("archival_search", '{"query": "ledgers", "start": 1}')), "Found.")
    turn = call_agent(assistant, "What do tiered ledgers cut?", "t1").turn
    page = client.get(f"/turns/{turn.id}/used").content.decode()
    assert "Looking through the documents for “ledgers”" in page
    assert "query: ledgers · start: 1" in page
    assert "year_from" not in page
    assert f'hx-get="/summaries/{record.id}"' in page
    assert "An earlier word</a>" in page
