"""The page without a browser: what it shows, and that errors are sentences."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from researchassist.agent.assistant import Assistant
from researchassist.agent.ingest import ingest_text
from researchassist.memory.manager import MemoryManager

HTMX = {"HX-Request": "true"}
MakeAssistant = Callable[..., Assistant]


@pytest.fixture
def client(assistant_with: MakeAssistant) -> Client:
    """A browser without scripts; no language model is set."""
    assistant_with()
    return Client()


@pytest.fixture
def thread(memory: MemoryManager) -> str:
    """A sample conversation whose messages belong to no turn."""
    memory.write_thread("seed-01", title="Kestrel & Merlin", sample=True)
    memory.write_conversational_memory("What is <Kestrel>?\nTell me.", "user", "seed-01")
    memory.write_conversational_memory("A **retrieval** method.", "assistant", "seed-01")
    return "seed-01"


def test_it_greets_with_questions_about_documents_in_memory(
    client: Client, assistant_with: MakeAssistant
) -> None:
    ingest_text(assistant_with(), "Kestrel cuts latency.", title="The Kestrel paper")
    page = client.get("/").content.decode()
    assert "What would you like to know?" in page
    assert page.count("The Kestrel paper") == 8  # four examples, shown and sent


def test_it_says_how_to_read_documents_in_where_there_are_none(client: Client) -> None:
    assert "No documents are in memory yet" in client.get("/").content.decode()


def test_it_says_how_to_set_a_model_where_none_is_set(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "No language model is set" in page
    assert "OPENAI_API_KEY" in page


def test_it_makes_no_thread_before_something_is_sent(client: Client, memory: MemoryManager) -> None:
    client.get("/")
    assert memory.threads() == []


def test_it_shows_messages_that_belong_to_no_turn(client: Client, thread: str) -> None:
    page = client.get(f"/threads/{thread}").content.decode()
    assert "What is &lt;Kestrel&gt;?\nTell me." in page
    assert "<strong>retrieval</strong>" in page
    assert '<span class="mark">Sample</span>' in page
    assert page.index("What is") < page.index("retrieval")


def test_it_marks_messages_that_were_condensed_and_still_shows_them(
    client: Client, thread: str, memory: MemoryManager
) -> None:
    made = memory.write_summary(
        full_content="x", summary="y", description="z", thread_id=thread, messages=memory.messages(thread)
    )
    page = client.get(f"/threads/{thread}").content.decode()
    assert made is not None
    assert f"in summary {made.id}" in page
    assert "<strong>retrieval</strong>" in page


def test_it_marks_the_open_thread_in_the_side_list(client: Client, thread: str) -> None:
    page = client.get(f"/threads/{thread}").content.decode()
    assert f'<a href="/threads/{thread}" aria-current="page">' in page


def test_it_needs_as_many_queries_for_a_long_thread_as_for_a_short_one(
    client: Client, thread: str, memory: MemoryManager, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(40):
        memory.write_conversational_memory(f"m{number}", "user", thread)
        memory.write_thread(f"t{number}", title="x")
        if number in (5, 39):
            with django_assert_num_queries(9):
                client.get(f"/threads/{thread}")


@pytest.mark.parametrize(
    "address", ["/threads/nope", "/turns/nope", "/turns/nope/used", "/logs/99", "/logs/x", "/threads/a%00b"]
)
def test_it_says_what_is_unknown_on_a_whole_page(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 404
    page = response.content.decode()
    assert "There is no" in page
    assert '<a href="/">' in page


def test_it_has_a_page_for_addresses_that_do_not_exist(client: Client) -> None:
    response = client.get("/nowhere")
    assert response.status_code == 404
    assert "no page at this address" in response.content.decode()


def test_it_gives_a_whole_page_when_going_back_and_a_part_otherwise(client: Client, thread: str) -> None:
    whole = client.get(f"/threads/{thread}", headers=HTMX | {"HX-History-Restore-Request": "true"})
    part = client.get(f"/threads/{thread}", headers=HTMX)
    assert "<!doctype html>" in whole.content.decode()
    assert "<!doctype html>" not in part.content.decode()
    assert "HX-Request" in part.headers["Vary"]
    assert part.headers["Cache-Control"] == "no-store"


def test_it_renames_a_thread(client: Client, thread: str, memory: MemoryManager) -> None:
    assert "Kestrel &amp; Merlin" in client.get(f"/threads/{thread}/rename").content.decode()
    response = client.post(f"/threads/{thread}/rename", {"title": "  Two  birds "})
    assert response.headers["Location"] == f"/threads/{thread}"
    assert memory.thread(thread).title == "Two birds"


def test_it_renames_in_place_and_in_the_side_list(client: Client, thread: str) -> None:
    part = client.post(f"/threads/{thread}/rename", {"title": "<b>Birds</b>"}, headers=HTMX).content.decode()
    assert part.count("&lt;b&gt;Birds&lt;/b&gt;") == 3  # head, page title, side list
    assert "<b>" not in part


def test_it_keeps_the_title_where_the_new_one_is_empty(
    client: Client, thread: str, memory: MemoryManager
) -> None:
    response = client.post(f"/threads/{thread}/rename", {"title": " "})
    assert response.status_code == 422
    assert "Write a title first." in response.content.decode()
    assert memory.thread(thread).title == "Kestrel & Merlin"


def test_it_refuses_forms_from_elsewhere_with_a_sentence(
    assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    response = Client(enforce_csrf_checks=True).post("/threads/t1/turns", {"query": "hi"})
    assert response.status_code == 403
    assert "did not come from this page" in response.content.decode()
    assert memory.threads() == []


def test_it_allows_nothing_inline(client: Client, thread: str) -> None:
    response = client.get(f"/threads/{thread}")
    policy, page = response.headers["Content-Security-Policy"], response.content.decode()
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert " style=" not in page
    assert "<script>" not in page
    assert "onclick" not in page


def test_it_marks_html_as_safe_in_one_file_only() -> None:
    chat = Path(__file__).parents[2] / "researchassist"
    marking = {file.name for file in chat.rglob("*.py") if "mark_safe(" in file.read_text(encoding="utf-8")}
    templates = [file for file in chat.rglob("*.html") if "|safe" in file.read_text(encoding="utf-8")]
    assert marking == {"markdown.py"}
    assert templates == []
