from researchassist.memory.models import ToolboxKey, ToolboxMemory


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


def test_what_the_parameters_mean_is_embedded_too(memory):
    properties = {
        "place": {"type": "string", "description": "The nest to look at."},
        "n": {"type": "integer"},
    }
    memory.write_toolbox(
        name="look",
        description="Look",
        signature="(place, n)",
        parameters={"properties": properties},
        queries=["q"],
    )
    assert ToolboxMemory.objects.get().text == "look\nLook\n(place, n)\nplace: The nest to look at.\nq"


def test_one_of_its_queries_is_enough_to_find_a_tool(memory):
    for number in range(30):
        write(memory, f"tool_{number}", "Does a thing with words", queries=[f"do thing {number}"] * 2)
    assert "late" not in [tool.name for tool in memory.read_toolbox("is my train late", k=5)]
    write(memory, "late", "Does a thing with words", queries=["do a thing", "is my train late"])
    assert memory.read_toolbox("is my train late")[0].name == "late"
    assert [t.name for t in memory.read_toolbox("is my train late", names=["tool_3"])] == ["tool_3"]
    assert ToolboxMemory.objects.count() == 31


def test_queries_are_replaced_with_their_tool(memory):
    write(memory, "look", "Look", queries=["old question", "other question"])
    write(memory, "look", "Look", queries=["new question"])
    assert list(ToolboxKey.objects.values_list("text", flat=True)) == ["new question", "Look"]
    write(memory, "look", "Look")
    assert list(ToolboxKey.objects.values_list("text", flat=True)) == ["Look"]
    assert memory._toolbox.keys.size() == 1
    assert [tool.name for tool in memory.read_toolbox("look")] == ["look"]


def test_one_clause_of_what_it_does_is_enough_to_find_a_tool(memory):
    for number in range(30):
        write(memory, f"tool_{number}", "Reads words aloud, sings songs, or draws maps of towns")
    write(memory, "late", "Reads words aloud, says whether a train is late, or draws maps of towns")
    assert memory.read_toolbox("is a train late")[0].name == "late"
    assert ToolboxMemory.objects.count() == 31
