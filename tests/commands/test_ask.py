import re
import socket

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests import second_process


def test_it_prints_answer_sources_and_conversation(command, assistant_with, memory):
    memory.write_knowledge_base(
        "Owls hunt at night.",
        {"source": "owls.md", "title": "On owls", "page": 4, "chunk_id": 1, "num_chunks": 3},
    )
    assistant_with("An owl.")
    text = command("ask", "Who hunts at night?")
    assert text.startswith("An owl.\n")
    assert "- On owls (owls.md, page 4), passage 2 of 3, similarity " in text
    thread = re.search(r"Conversation: (\w+)", text).group(1)
    assert [m.content for m in memory.messages(thread)] == ["Who hunts at night?", "An owl."]


def test_it_counts_the_marks_of_sources_and_says_where_there_are_none(command, assistant_with, memory):
    passage = memory.write_knowledge_base("Owls hunt at night.", {"source": "owls.md", "title": "On owls"})
    assistant = assistant_with(f"Owls hunt at night [p{passage.id}].", f"A wren [p{passage.id}].")
    text = command("ask", "Owls hunt when?")
    assert text.startswith("Owls hunt at night [1].\n\nSources:\n[1] On owls (owls.md), passage 1 of 1")
    text = command("ask", "xyzzy")
    assert f"A wren [p{passage.id}].\n\nNo source in memory." in text
    assert assistant.model.replies == []


def test_it_goes_on_in_a_conversation(command, assistant_with, memory):
    memory.write_conversational_memory("hello", "user", "alice")
    assistant_with("An owl.")
    command("ask", "Who hunts?", "--thread", "alice")
    assert len(memory.messages("alice")) == 3


def test_an_unknown_conversation_is_told(command):
    with pytest.raises(CommandError, match="There is no conversation"):
        call_command("ask", "Who?", "--thread", "nobody")


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_told(command, question: str):
    with pytest.raises(CommandError, match="Write a question first"):
        call_command("ask", question)


def test_a_model_server_that_cannot_be_reached_is_a_sentence_and_the_question_is_kept(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    options = {
        "RESEARCHASSIST_DATA_DIR": str(tmp_path),
        "RESEARCHASSIST_EMBEDDING_MODEL": "packaged",
        "RESEARCHASSIST_MODEL_RETRIES": "0",
        "OPENAI_BASE_URL": address,
    }
    assert second_process.manage("migrate", "--verbosity", "0", **options).returncode == 0
    asked = second_process.manage("ask", "Who hunts at night?", **options)
    assert asked.returncode == 1
    assert "cannot be reached" in asked.stderr
    assert "Traceback" not in asked.stderr
    kept = second_process.run(
        "from researchassist.memory.models import Turn\n"
        "print([(t.question.content, t.outcome) for t in Turn.objects.all()])",
        tmp_path / "researchassist.sqlite3",
    )
    assert kept == "[('Who hunts at night?', 'failed')]\n"
