"""Forms without a token: refused, said in words, and what was written in them stays."""

from collections.abc import Callable

import pytest
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager
from researchassist.urls import urlpatterns

pytestmark = pytest.mark.django_db(transaction=True)

OURS = {"Origin": "http://testserver"}
HTMX = OURS | {"HX-Request": "true"}
MakeAssistant = Callable[..., Assistant]


@pytest.fixture
def client(assistant_with: MakeAssistant) -> Client:
    assistant_with("Yes.", forever=True)
    return Client(enforce_csrf_checks=True)


def test_a_form_of_this_page_keeps_its_text_and_gets_a_new_token(
    client: Client, memory: MemoryManager
) -> None:
    response = client.post("/threads/t1/turns", {"query": "my <long> thought"}, headers=OURS)
    page = response.content.decode()
    assert response.status_code == 403
    assert "had lost this page’s token" in page
    assert "my &lt;long&gt; thought</textarea>" in page
    assert memory.threads() == []
    token = response.cookies["csrftoken"].value
    again = client.post(
        "/threads/t1/turns", {"query": "my thought", "csrfmiddlewaretoken": token}, headers=OURS
    )
    runner().wait_idle()
    assert again.status_code == 302
    assert [m.content for m in memory.messages("t1")][:1] == ["my thought"]


def test_for_scripts_the_sentence_stands_beside_the_composer_and_the_next_try_works(
    client: Client, memory: MemoryManager
) -> None:
    response = client.post("/threads/t1/turns", {"query": "hi"}, headers=HTMX)
    assert response.status_code == 403
    assert response.headers["HX-Retarget"] == "#notice"
    assert "<!doctype" not in response.content.decode()
    token = response.cookies["csrftoken"].value
    again = client.post("/threads/t1/turns", {"query": "hi"}, headers=HTMX | {"X-CSRFToken": token})
    runner().wait_idle()
    assert again.status_code == 200
    assert len(memory.messages("t1")) == 2


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://testserver:8001", "https://testserver"]
)
def test_the_text_of_a_form_from_elsewhere_is_not_shown(client: Client, origin: str) -> None:
    client.get("/")  # the person's cookie is there
    token = client.cookies["csrftoken"].value
    fields = {"query": "buy this", "csrfmiddlewaretoken": token}
    page = client.post("/threads/t1/turns", fields, headers={"Origin": origin})
    assert page.status_code == 403
    assert "did not come from this page" in page.content.decode()
    assert "buy this" not in page.content.decode()


def test_a_form_without_a_message_is_a_sentence(client: Client) -> None:
    page = client.post("/threads/t1/delete", headers=OURS)
    assert page.status_code == 403
    assert "reload the page and try again" in page.content.decode()


def test_every_address_that_changes_something_asks_for_a_token(client: Client) -> None:
    """Each address of the page is posted to without one; those that take no post say so."""
    seen = 0
    for pattern in urlpatterns[0].url_patterns:
        address = "/" + str(pattern.pattern).replace("<str:thread_id>", "t1")
        for part in ("turn_id", "run_id", "log_id", "message_id", "summary_id", "thread_id"):
            address = address.replace(f"<str:{part}>", "x").replace(f"<int:{part}>", "1")
        if "<" in address:
            address = address[: address.index("<")] + "1"
        status = client.post(address, {"query": "x"}, headers=OURS).status_code
        assert status in (403, 404, 405), address
        seen += status == 403
    assert seen >= 10
