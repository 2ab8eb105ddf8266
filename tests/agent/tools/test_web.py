import pytest

from researchassist.agent.tools import default_tools
from researchassist.agent.tools.definition import ToolContext
from researchassist.agent.tools.web import search_tavily
from researchassist.errors import ToolError, WebError
from tests import outside


@pytest.fixture
def context(assistant_with, memory, httpserver) -> ToolContext:
    question = memory.write_conversational_memory("Any news?", "user", "alice")
    return ToolContext(assistant_with("unused", sources=outside.sources(httpserver, key="tvly")), question)


def test_results_come_with_title_address_and_score_and_are_stored(context, httpserver):
    found = {"title": "News", "url": "https://example.com/n", "content": "Owls seen.", "score": 0.5}
    httpserver.expect_request("/search").respond_with_json({"results": [found]})
    assert search_tavily(context, "owls") == [found]
    assert context.assistant.memory.documents()[0].kind == "web result"


def test_it_is_offered_only_where_its_key_is_set():
    assert "search_tavily" not in {tool.name for tool in default_tools()}
    assert "search_tavily" in {tool.name for tool in default_tools(web=True)}


def test_an_empty_search_is_told(context):
    with pytest.raises(ToolError):
        search_tavily(context, "")


def test_without_a_key_nothing_is_asked(assistant_with, memory, httpserver):
    question = memory.write_conversational_memory("Any news?", "user", "alice")
    with pytest.raises(WebError, match="not set up"):
        search_tavily(ToolContext(assistant_with("x", sources=outside.sources(httpserver)), question), "owls")


def test_no_tool_fetches_an_address_the_model_made_up():
    """B41: an address is the person's to give; the model's tools take none."""
    takes = {tool.name: set(tool.parameters["properties"]) for tool in default_tools(web=True)}
    assert not [name for name, given in takes.items() if given & {"url", "address", "link", "path", "file"}]


def test_no_tool_deletes_or_forgets():
    """B43: what a document orders cannot be done, whatever the model makes of it."""
    verbs = ("delete", "forget", "remove", "purge", "clear")
    assert not [tool.name for tool in default_tools(web=True) if any(verb in tool.name for verb in verbs)]
