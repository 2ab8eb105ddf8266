from researchassist.agent import core_memory, personal
from researchassist.agent.context import assemble
from researchassist.agent.personal import Section
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options


def asked(memory, question: str = "Who hunts at night?"):
    return assemble(memory, memory.write_conversational_memory(question, "user", "alice"), "source-12345678")


def test_core_memory_stands_in_the_system_message_and_nowhere_else(memory):
    core_memory.edit(memory, "Is vegetarian.")
    context = asked(memory)
    assert '<memory-12345678 name="core">\nIs vegetarian.\n</memory-12345678>' in context.system_content()
    assert "14 of 2,000 characters" in context.system_content()
    assert "vegetarian" not in context.user_content()


def test_core_memory_survives_a_restart(memory, tiny_embedder):
    core_memory.edit(memory, "Is vegetarian.")
    again = MemoryManager(Options(), tiny_embedder)
    assert "Is vegetarian." in asked(again).system_content()


def test_an_empty_core_memory_says_so(memory):
    assert "(empty)" in asked(memory).system_content()


def test_the_instructions_name_the_tag_of_personal_memory(memory):
    assert "<memory-12345678 …>" in asked(memory).instructions()


def test_sections_stand_above_or_below_the_instructions_in_their_order():
    sections = [
        Section("profile", "Profile", "Use it.", "first", first=True),
        Section("core", "Core", "Use it.", "second"),
        Section("facts", "Facts", "Use it.", "third"),
    ]
    text = personal.joined(sections, "INSTRUCTIONS", "source-00000000")
    places = [text.index(word) for word in ("first", "INSTRUCTIONS", "second", "third")]
    assert places == sorted(places)


def test_a_section_over_its_allowance_is_cut_at_a_line_and_says_so(tiny_embedder, transactional_db):
    memory = MemoryManager(Options(allow_core=40), tiny_embedder)
    core_memory.edit(memory, "\n".join(f"Fact number {number} of the person." for number in range(20)))
    [section] = personal.read(memory, memory.write_conversational_memory("?", "user", "alice"))
    assert section.text.startswith("Fact number 0 of the person.\n")
    assert section.text.endswith("/memory shows all of it]")
    assert len(section.text) // 4 <= 40


def test_a_section_of_one_line_over_its_allowance_is_cut_within_it(tiny_embedder, transactional_db):
    memory = MemoryManager(Options(allow_core=40), tiny_embedder)
    core_memory.edit(memory, "素" * 500)
    [section] = personal.read(memory, memory.write_conversational_memory("?", "user", "alice"))
    assert 0 < section.text.count("素") <= 40
