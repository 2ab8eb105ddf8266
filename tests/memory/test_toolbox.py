from researchassist.memory.models import ToolboxMemory


def write(memory, name: str, description: str, **fields):
    return memory.write_toolbox(
        name=name, description=description, signature="()", parameters={"type": "object"}, **fields
    )


def test_a_name_has_one_row_whatever_is_written(memory):
    write(memory, "look", "Look at birds")
    write(memory, "look", "Look at stars", queries=["show me the sky"], augmented=True, source_hash="2")
    [row] = ToolboxMemory.objects.all()
    assert (row.description, row.augmented) == ("Look at stars", True)
    assert row.text == "look\nLook at stars\n()\nshow me the sky"


def test_a_rewritten_tool_is_found_by_its_new_words(memory):
    write(memory, "look", "Look at birds")
    write(memory, "count", "Count coins and money")
    write(memory, "look", "Count coins and money in a purse")
    assert memory.read_toolbox("purse", k=1)[0].name == "look"


def test_a_read_gives_at_most_five(memory):
    for number in range(8):
        write(memory, f"tool_{number}", "Does a thing")
    assert len(memory.read_toolbox("thing")) == 5


def test_a_read_can_be_held_to_names(memory):
    write(memory, "look", "birds")
    write(memory, "gone", "birds")
    assert [tool.name for tool in memory.read_toolbox("birds", names=["look"])] == ["look"]
