from researchassist.agent.tools.lookup import read_toolbox


def test_it_finds_tools_by_what_one_wants_to_do(tool_context):
    found = read_toolbox(tool_context, "what day and time is it now, with its zone")
    assert found[0]["name"] == "get_current_time"
    assert {"name", "description", "parameters"} <= found[0].keys()
    assert len(found) <= 5
