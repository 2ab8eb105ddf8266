"""What the next turn would be given is what it is given."""

from researchassist.agent.preview import preview
from researchassist.agent.turn import call_agent


def test_the_preview_of_a_question_is_what_the_turn_then_has(assistant_with, memory):
    memory.write_knowledge_base("Kestrel cuts latency.", {"title": "Kestrel", "source": "k.md"})
    for number in range(14):
        memory.write_conversational_memory(f"Message {number} about owls", "user", "alice")
    assistant = assistant_with("It cuts latency.")
    seen = preview(assistant, "alice", "What does Kestrel do?").manifest()
    used = call_agent(assistant, "What does Kestrel do?", "alice").turn.used
    for part in ("tokens", "given", "left_out", "tools_offered"):
        assert seen[part] == used[part], part
    assert seen["left_out"]["conversation"] == 4


def test_looking_writes_nothing(assistant_with, memory):
    preview(assistant_with("unused"), "nowhere", "")
    assert memory.threads() == []
    assert memory.running_turns() == []
