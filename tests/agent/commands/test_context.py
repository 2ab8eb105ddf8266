"""/context"""

from researchassist.agent.commands import BY_NAME
from researchassist.agent.commands.definition import CommandContext
from researchassist.agent.ingest import ingest_text
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options


def test_the_parts_of_the_next_turn_stand_against_the_budget(give, assistant, memory):
    ingest_text(assistant, "Kestrel cuts latency.", title="Kestrel")
    memory.write_conversational_memory("What does Kestrel do?", "user", "alice")
    text = give("context").text
    assert f"of {assistant.options.budget():,} tokens" in text
    assert "| Passages of documents |" in text
    assert "the latest question, asked again" in text
    assert "the question given" in give("context", "And Heron?").text


def test_it_says_what_would_be_left_out_and_that_no_model_is_set(give, memory):
    assert "before anything is asked" in give("context").text
    for number in range(14):
        memory.write_conversational_memory(f"Message {number}", "user", "alice")
    text = give("context", "And now?").text
    assert "4 earlier messages would not be shown." in text
    assert "No language model is set, so nothing is sent anywhere" in text
    assert "| Earlier messages |" in text


def test_over_the_threshold_it_says_what_would_happen(assistant_with, tiny_embedder):
    memory = MemoryManager(Options(token_budget=6_000), tiny_embedder)
    for number in range(10):
        memory.write_conversational_memory(f"owl {number} " * 300, "user", "alice")
    given = CommandContext(assistant_with("unused", memory=memory), "alice")
    assert "older messages would be condensed first" in BY_NAME["context"].run(given, "And now?").text


def test_looking_writes_nothing(give, memory):
    give("context", "anything")
    assert memory.threads() == []
