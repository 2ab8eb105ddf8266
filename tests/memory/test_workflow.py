def test_a_workflow_without_steps_is_kept_but_never_read(memory):
    memory.write_workflow("Find the owl", [], "An owl.")
    assert memory.sizes()["workflow_memory"] == 1
    assert memory.read_workflow("Find the owl").records == ()


def test_a_read_tells_steps_in_order_and_how_it_ended(memory):
    memory.write_workflow("Find the owl", ["look() → failed", "search() → success"], "An owl.", success=False)
    text = memory.read_workflow("owl").text()
    assert "  1. look() → failed\n  2. search() → success" in text
    assert "It ended without an answer." in text
    assert "An owl." not in text, "an old answer is not evidence"


def test_a_read_gives_at_most_three_the_nearest_first(memory):
    for bird in ("owl", "kestrel", "heron", "wren"):
        memory.write_workflow(f"Find the {bird}", ["look()"], bird)
    found = memory.read_workflow("kestrel").records
    assert len(found) == 3
    assert found[0].answer_excerpt == "kestrel"


def test_an_excerpt_has_at_most_200_characters(memory):
    assert len(memory.write_workflow("q", ["s"], "😀" * 900).answer_excerpt) == 200


def test_a_long_question_is_kept_whole(memory):
    assert memory.write_workflow("owl " * 3000, ["s"], "a").query == "owl " * 3000
