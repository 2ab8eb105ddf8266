"""/context"""

from researchassist.agent.ingest import ingest_text


def test_the_parts_of_the_next_turn_stand_against_the_budget(give, assistant, memory):
    ingest_text(assistant, "Kestrel cuts latency.", title="Kestrel")
    memory.write_conversational_memory("What does Kestrel do?", "user", "alice")
    text = give("context").text
    assert f"of {assistant.options.budget():,} tokens" in text
    assert "| Passages of documents |" in text
    assert "the latest question, asked again" in text
    assert "the question given" in give("context", "And Heron?").text


def test_looking_writes_nothing(give, memory):
    give("context", "anything")
    assert memory.threads() == []
