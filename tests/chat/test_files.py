"""Files over HTTP: each becomes a run that ends in a card or a sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from tests.outside import pdf

pytestmark = pytest.mark.django_db(transaction=True)

HTMX = {"HX-Request": "true"}
KEY = "0123456789abcdef" * 2
MakeAssistant = Callable[..., Assistant]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


@pytest.fixture
def options() -> Options:
    return Options(file_megabytes=1)


@pytest.fixture
def client(assistant_with: MakeAssistant) -> Client:
    assistant_with()
    return Client()


def add(client: Client, *files: tuple[str, bytes], key: str = KEY, **headers: str) -> object:
    """Sends files as the form does and waits until they are read."""
    sent = [SimpleUploadedFile(name, data) for name, data in files]
    response = client.post("/threads/t1/files", {"file": sent, "key": key}, headers=headers)
    runner().wait_idle()
    return response


def test_a_pdf_becomes_a_card_without_scripts(client: Client, memory: MemoryManager) -> None:
    data = pdf("Osprey one.", "Osprey two.", title="Osprey <Indexes>", author="Ada Nobody")
    response = add(client, ("paper.pdf", data))
    page = client.get("/threads/t1").content.decode()
    assert response.status_code == 302  # type: ignore[attr-defined]
    for words in ("paper.pdf", "Osprey &lt;Indexes&gt;", "Ada Nobody", "2 pages", "2 passages"):
        assert words in page
    assert memory.documents()[0].title == "Osprey <Indexes>"


def test_several_files_are_each_a_run_and_a_bad_one_keeps_no_other_back(
    client: Client, memory: MemoryManager
) -> None:
    add(
        client, ("a.txt", b"Owls sleep."), ("b.pdf", b"PK\x03\x04"), ("c.txt", b"Larks sing."), ("d.txt", b"")
    )
    page = client.get("/threads/t1").content.decode()
    assert [run.status for run in memory.command_runs("t1")] == ["done", "failed", "done", "done"]
    assert "b.pdf: this is a ZIP or Office file, which cannot be read" in page
    assert "there is no text in it" in page
    ready = {one.title for one in memory.documents() if one.state == "ready"}  # read side by side
    assert ready == {"Larks sing.", "Owls sleep."}


def test_the_same_file_again_is_in_memory_already(client: Client, memory: MemoryManager) -> None:
    add(client, ("a.txt", b"Owls sleep."))
    add(client, ("copy.txt", b"Owls sleep."), key="a" * 32)
    assert "This is already in memory" in client.get("/threads/t1").content.decode()
    assert len(memory.documents()) == 1


def test_a_form_sent_twice_adds_once(client: Client, memory: MemoryManager) -> None:
    add(client, ("a.txt", b"Owls"), ("b.txt", b"Larks"))
    add(client, ("a.txt", b"Owls"), ("b.txt", b"Larks"))
    assert len(memory.command_runs("t1")) == 2


def test_one_file_that_is_too_large_is_a_sentence_and_the_others_are_read(
    client: Client, memory: MemoryManager
) -> None:
    response = add(client, ("big.txt", b"x" * 1_000_001), ("a.txt", b"Owls sleep."), **HTMX)
    assert "big.txt: larger than 1 MB." in response.content.decode()  # type: ignore[attr-defined]
    assert [run.argument for run in memory.command_runs("t1")] == ["a.txt"]


def test_a_request_that_is_far_too_large_is_refused_before_it_is_parsed(
    client: Client, memory: MemoryManager
) -> None:
    response = client.post(
        "/threads/t1/files",
        b"",
        content_type="multipart/form-data; boundary=x",
        headers=HTMX | {"Content-Length": "6000000"},
    )
    assert response.status_code == 413
    assert "more than 5 MB at once" in response.content.decode()
    assert memory.threads() == []


def test_no_file_is_a_sentence(client: Client, memory: MemoryManager) -> None:
    response = client.post("/threads/t1/files", {"key": KEY}, headers=HTMX)
    assert response.status_code == 422
    assert "Choose a file first." in response.content.decode()
    assert memory.threads() == []


def test_a_form_from_elsewhere_is_refused(assistant_with: MakeAssistant, memory: MemoryManager) -> None:
    assistant_with()
    strict = Client(enforce_csrf_checks=True)
    response = strict.post("/threads/t1/files", {"file": SimpleUploadedFile("a.txt", b"Owls"), "key": KEY})
    assert response.status_code == 403
    assert memory.threads() == []
    strict.get("/")
    token = strict.cookies["csrftoken"].value
    form = {"file": SimpleUploadedFile("a.txt", b"Owls"), "key": KEY, "csrfmiddlewaretoken": token}
    assert strict.post("/threads/t1/files", form).status_code == 302
    runner().wait_idle()
    assert len(memory.documents()) == 1


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>.txt", "a\u202etxt.exe.txt", "../../x.txt", "x" * 400 + ".txt"]
)
def test_hostile_names_are_text(client: Client, memory: MemoryManager, name: str) -> None:
    add(client, (name, b"Owls sleep."))
    page = client.get("/threads/t1").content.decode()
    assert "<img" not in page
    assert "\u202e" not in page
    assert memory.command_runs("t1")[0].status == "done"
