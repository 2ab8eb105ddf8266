"""The greeting: questions about what is in memory, and where nothing is, how to put something in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from researchassist.agent.assistant import Assistant
from researchassist.agent.ingest import ingest_bytes, ingest_file, ingest_text
from researchassist.chat.greeting import examples
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM

MakeAssistant = Callable[..., Assistant]


def texts(memory: MemoryManager, *, model_set: bool = True) -> list[str]:
    return [one.text for one in examples(memory, model_set=model_set)]


def test_each_of_four_questions_is_about_another_document_the_newest_first(
    assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant = assistant_with()
    for number in range(6):
        ingest_text(assistant, f"Owl {number} sleeps.", title=f"Owl {number}")
    named = [next(n for n in range(6) if f"“Owl {n}”" in text) for text in texts(memory)]
    assert named == [5, 4, 3, 2]


def test_fewer_documents_are_asked_about_more_than_once(
    assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assert texts(memory) == []
    ingest_text(assistant_with(), "Owls sleep.", title="Owls")
    assert len(texts(memory)) == 4
    assert len(set(texts(memory))) == 4
    assert all("“Owls”" in text for text in texts(memory))


def test_the_persons_own_come_before_samples_and_what_has_no_text_is_never_asked_about(
    assistant_with: MakeAssistant, memory: MemoryManager, tmp_path: Path
) -> None:
    assistant = assistant_with()
    ingest_text(assistant, "Owls sleep.", title="Mine")
    note = tmp_path / "sample.md"
    note.write_text("# Sample\n\nLarks sing.")
    ingest_file(assistant, note, sample=True)
    ingest_bytes(assistant, "empty.txt", b"")
    asked = texts(memory)
    assert [("Mine" in text, "Sample" in text) for text in asked] == [(True, False), (False, True)] * 2


def test_without_a_model_nothing_is_asked_that_only_a_model_can_write(
    assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    ingest_text(assistant_with(), "Owls sleep.", title="Owls")
    assert any("Summarize" in text for text in texts(memory))
    assert not any("Summarize" in text for text in texts(memory, model_set=False))


def test_a_long_title_is_cut_at_a_word(assistant_with: MakeAssistant, memory: MemoryManager) -> None:
    ingest_text(assistant_with(), "Owls.", title="A " + "very " * 40 + "long title")
    assert all(len(text) < 160 and "very…”" in text for text in texts(memory))


def test_the_page_needs_as_many_queries_for_many_documents_as_for_none(
    client: Client,
    assistant_with: MakeAssistant,
    memory: MemoryManager,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    assistant = assistant_with()
    for number in range(12):
        ingest_text(assistant, f"Owl {number} sleeps.", title=f"Owl {number}")
    # One of them looks whether a conversation of that id was deleted.
    with django_assert_num_queries(5):
        client.get("/")


@pytest.mark.django_db
def test_how_to_set_a_model_is_open_at_the_first_start_only(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    memory.write_thread("seed", title="Sample", sample=True)
    assert '<details class="no-model" open>' in client.get("/").content.decode()
    memory.write_thread("t1", title="Mine")
    page = client.get("/").content.decode()
    assert '<details class="no-model">' in page
    assert "OPENAI_API_KEY" in page
    assistant_with("Yes.", writer=ScriptedLLM("[]"))
    assert "No language model is set" not in client.get("/").content.decode()
