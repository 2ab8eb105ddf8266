import json
import re
from typing import Literal

import pytest

from researchassist.agent.toolbox import QUERIES, Toolbox
from researchassist.agent.tools import default_tools, define
from researchassist.agent.tools.definition import ToolContext
from researchassist.errors import ModelError, ToolError
from researchassist.llm.types import ToolCall
from researchassist.memory.models import ToolboxMemory
from tests.record_schemas import problems
from tests.scripted_llm import ScriptedLLM

FENCE = "source-12345678"


def count_birds(
    context: ToolContext, kind: Literal["owl", "wren"], years: list[int], place: str = "here"
) -> str:
    """Count birds of one kind.

    Use it for numbers.

    Args:
        kind: Which bird.
        years: The years to look at.
    """
    return f"{len(years)} {kind} {place} in {context.thread_id}"


def fail(reason: str) -> str:
    """Fail for a reason."""
    raise ToolError(reason)


def crash() -> str:
    """Crash without a reason."""
    raise ZeroDivisionError("secret of the owls")


def recite(length: int) -> str:
    """Recite a long text."""
    return "".join(f"{n:07d} " for n in range(length // 8 + 1))[:length]


def perch() -> dict[str, object]:
    """Give where the owl perches."""
    return {"tree": "日本", "height": 3}


@pytest.fixture
def toolbox(memory) -> Toolbox:
    tools = [define(function) for function in (count_birds, fail, crash, recite, perch)]
    return Toolbox(memory, None, [*tools, *default_tools()])


@pytest.fixture
def run(memory, toolbox, assistant_with):
    assistant = assistant_with("unused")
    question = memory.write_conversational_memory("How many?", "user", "alice")

    def call(name: str, arguments: str, **more):
        return toolbox.run(ToolCall("c1", name, arguments), ToolContext(assistant, question), FENCE, **more)

    return call


# The schema


def test_a_schema_comes_from_signature_and_docstring():
    tool = define(count_birds)
    assert tool.description == "Count birds of one kind.\nUse it for numbers."
    assert tool.parameters["properties"] == {
        "kind": {"enum": ["owl", "wren"], "type": "string", "description": "Which bird."},
        "years": {"items": {"type": "integer"}, "type": "array", "description": "The years to look at."},
        "place": {"default": "here", "type": "string"},
    }
    assert tool.parameters["required"] == ["kind", "years"]


@pytest.mark.parametrize("tool", default_tools(), ids=lambda tool: tool.name)
def test_what_the_harness_hands_over_is_never_in_the_schema(tool):
    assert "context" not in json.dumps(tool.parameters["properties"])
    assert "context" not in tool.signature.split("->")[0]


@pytest.mark.parametrize("tool", default_tools(), ids=lambda tool: tool.name)
def test_every_default_tool_says_what_it_does_and_what_its_arguments_mean(tool):
    assert len(tool.description) > 40
    assert all(field.get("description") for field in tool.parameters["properties"].values())


# What a call does, in words


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("search_arxiv", '{"query": "memory  for\\nagents"}', "Searching arXiv for “memory for agents”"),
        ("search_arxiv", '"{\\"query\\": \\"owls\\"}"', "Searching arXiv for “owls”"),
        ("search_arxiv", "{broken", "Searching arXiv for “…”"),
        ("search_arxiv", '{"query": "{__class__} {0}"}', "Searching arXiv for “{__class__} {0}”"),
        ("save_paper", '{"arxiv_id": 2310.0856}', "Fetching arXiv 2310.0856 and reading it into memory"),
        ("recall_search", "{}", "Looking through earlier messages"),
        ("recall_search", '{"query": "owls"}', "Looking for “owls” in earlier messages"),
        ("get_current_time", "", "Looking at the clock"),
        ("count_birds", "{}", "Using count_birds"),
        ("no such tool", "{}", "Using no such tool"),
    ],
)
def test_a_call_is_told_in_words_whatever_its_arguments(toolbox, name, arguments, words):
    assert toolbox.doing(ToolCall("c1", name, arguments)) == words


def test_words_of_a_call_stay_short_and_storable(toolbox):
    words = toolbox.doing(ToolCall("c1", "search_arxiv", json.dumps({"query": "x\0\ud800" + "y" * 999})))
    assert len(words) < 120
    words.encode()


@pytest.mark.parametrize("tool", default_tools(web=True), ids=lambda tool: tool.name)
def test_every_default_tool_says_in_words_what_it_does(tool):
    assert tool.working[0][0].isupper()
    assert not tool.doing("{}").startswith("Using ")


# Arguments


@pytest.mark.parametrize(
    "arguments",
    [
        '{"kind": "owl", "years": [2024, 2025]}',
        json.dumps('{"kind": "owl", "years": [2024, 2025]}'),
        '{"kind": "owl", "years": ["2024", 2025.0], "place": "here"}',
    ],
)
def test_a_call_runs_with_checked_arguments(run, arguments: str):
    result = run("count_birds", arguments)
    assert result.excerpt == f'<{FENCE} tool="count_birds">\n2 owl here in alice\n</{FENCE}>'
    assert result.status == "success"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ('{"kind": "crow", "years": []}', "kind"),
        ('{"kind": "owl"}', "years"),
        ('{"kind": "owl", "years": "many"}', "years"),
        ('{"kind": "owl", "years": [], "wings": 2}', "wings"),
        ('{"kind": "owl", "years": [], "context": {}}', "context"),
        ("[1]", "dictionary|object"),
        ("7", "dictionary|object"),
        ("{kind: owl", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
    ],
)
def test_wrong_arguments_go_back_as_a_sentence_and_are_logged(run, memory, arguments: str, named: str):
    result = run("count_birds", arguments)
    assert result.status == "failed"
    assert re.search(named, result.excerpt)
    assert isinstance(json.loads(result.arguments), dict)
    [log] = memory.read_tool_log("alice")
    assert (log.status, log.tool_args) == ("failed", arguments)


@pytest.mark.parametrize("arguments", ["", "  ", "null", "{}", '""', '"{}"'])
def test_no_arguments_may_be_written_in_any_way(run, arguments: str):
    result = run("perch", arguments)
    assert (result.status, result.arguments) == ("success", "{}")


def test_a_number_where_text_is_asked_is_taken(run, memory):
    log = run("recite", '{"length": 5000}')
    assert run("read_tool_log", f'{{"log_id": {log.log_id}}}').status == "success"


def test_arguments_no_server_takes_are_made_valid(run):
    result = run("fail", '{"reason": "\\ud800"}')
    for text in (result.arguments, result.excerpt, result.step):
        text.encode()


# What goes wrong


def test_an_unknown_tool_is_told_which_there_are(run, memory):
    result = run("fly", "{}")
    assert "There is no tool 'fly'" in result.excerpt
    assert "count_birds" in result.excerpt
    assert memory.read_tool_log("alice")[0].tool_name == "fly"


@pytest.mark.parametrize("name", ["", "x" * 5000, 'a"b>c', "\ud800", "日本"])
def test_a_name_that_is_none_keeps_the_excerpt_within_its_limit(run, name: str):
    result = run(name, "{}")
    assert result.status == "failed"
    result.excerpt.encode()
    assert len(result.excerpt) < 3400


def test_a_failing_tool_gives_its_reason(run, memory):
    result = run("fail", '{"reason": "It is day."}')
    assert "It is day." in result.excerpt
    [log] = memory.read_tool_log("alice")
    assert (log.status, log.error_message) == ("failed", "It is day.")


def test_a_crashing_tool_is_a_result_too(run, memory):
    result = run("crash", "{}")
    assert "crash failed: ZeroDivisionError" in result.excerpt
    assert memory.read_tool_log("alice")[0].status == "failed"


def test_a_refused_call_is_not_run_but_logged(run, memory):
    result = run("perch", "{}", refusal="Cut off.")
    assert "Cut off." in result.excerpt
    assert memory.read_tool_log("alice")[0].error_message == "Cut off."


# The result


def test_a_result_that_is_no_text_is_json(run):
    assert '{"tree": "日本", "height": 3}' in run("perch", "{}").excerpt


@pytest.mark.parametrize("length", [0, 10, 2900])
def test_a_short_result_is_given_whole(run, length: int):
    result = run("recite", f'{{"length": {length}}}')
    assert recite(length) in result.excerpt
    assert "Cut:" not in result.excerpt


@pytest.mark.parametrize("length", [3000, 3001, 20_000])
def test_a_long_result_is_at_most_3000_characters_and_a_notice(run, memory, length: int):
    result = run("recite", f'{{"length": {length}}}')
    text, _, notice = result.excerpt.partition("\n[Cut: ")
    assert len(text) <= 3000
    assert f"tool log {result.log_id}" in notice
    assert memory.tool_log(result.log_id).result == recite(length)


def test_the_pages_of_a_log_give_the_whole_result_back(run):
    first = run("recite", '{"length": 11000}')
    log_id, offset = re.search(r'read_tool_log\("(\d+)", offset=(\d+)\)', first.excerpt).groups()
    whole = _body(first.excerpt)
    while offset is not None:
        page = run("read_tool_log", json.dumps({"log_id": log_id, "offset": int(offset)})).excerpt
        assert "Cut:" not in page
        text, _, rest = _body(page).partition("\n[")
        whole += text
        found = re.search(r"offset=(\d+)\)", rest)
        offset = found.group(1) if found else None
    assert whole == recite(11000)


def _body(excerpt: str) -> str:
    return re.search(r">\n(.*?)\n</", excerpt, re.DOTALL).group(1)


def test_a_step_names_the_tool_its_arguments_and_how_it_went(run):
    step = run("count_birds", json.dumps({"kind": "owl", "years": [1], "place": "p" * 300})).step
    assert step.startswith('count_birds(kind="owl", years=[1], place="ppp')
    assert step.endswith("…) → success")
    assert len(step) < 160


# Registration


def test_registering_again_writes_nothing(memory, toolbox):
    toolbox.register(perch)
    before = list(ToolboxMemory.objects.values_list("pk", "revision"))
    toolbox.register(perch)
    assert list(ToolboxMemory.objects.values_list("pk", "revision")) == before


def test_a_second_start_writes_nothing(memory, toolbox, tiny_embedder):
    toolbox.ensure_registered()
    calls, rows = tiny_embedder.calls, set(ToolboxMemory.objects.values_list("pk", "revision"))
    Toolbox(memory, None, default_tools()).ensure_registered()
    assert tiny_embedder.calls == calls
    assert set(ToolboxMemory.objects.values_list("pk", "revision")) == rows


def test_a_changed_source_is_written_anew(memory, toolbox):
    toolbox.register(perch)
    ToolboxMemory.objects.update(source_hash="older", description="old")
    assert toolbox.register(perch).description == "Give where the owl perches."
    assert ToolboxMemory.objects.count() == 1


ENRICHED = json.dumps(
    {"description": "Tells the tree of the owl.", "queries": [f"query {n}" for n in range(7)]}
)


def test_an_augmented_tool_has_the_writers_words_and_five_queries(memory):
    record = Toolbox(memory, ScriptedLLM(f"```json\n{ENRICHED}\n```")).register(perch, augment=True)
    assert record.description == "Tells the tree of the owl."
    assert record.queries == tuple(f"query {n}" for n in range(QUERIES))
    assert all(query in record.text for query in record.queries)


def test_a_tool_is_augmented_once(memory):
    writer = ScriptedLLM(ENRICHED)
    Toolbox(memory, writer).register(perch, augment=True)
    again = Toolbox(memory, writer)
    again.register(perch, augment=True)
    again.register(perch)
    assert len(writer.requests) == 1
    assert ToolboxMemory.objects.get().augmented


def test_a_raw_tool_is_augmented_when_a_model_is_there(memory):
    Toolbox(memory, None).register(perch, augment=True)
    assert not ToolboxMemory.objects.get().augmented
    Toolbox(memory, ScriptedLLM(ENRICHED), [define(perch)]).augment_all()
    assert ToolboxMemory.objects.get().augmented


@pytest.mark.parametrize(
    "reply",
    ["", "no", "[]", '{"description": "", "queries": []}', '{"queries": []}', ModelError("It is down.")],
)
def test_where_the_writer_fails_the_raw_description_stays(memory, reply):
    toolbox = Toolbox(memory, ScriptedLLM(reply, forever=True), [define(perch)])
    toolbox.ensure_registered()
    toolbox.augment_all()
    row = ToolboxMemory.objects.get()
    assert (row.augmented, row.description) == (False, "Give where the owl perches.")


# Retrieval


def test_at_most_five_are_found_names_unique(toolbox):
    found = toolbox.find("owl")
    assert len({tool.name for tool in found}) == len(found) == 5
    assert all(problems("RetrievedToolSchema", tool.as_json()) == [] for tool in found)


def test_the_right_tool_is_found(toolbox):
    assert toolbox.find("count the birds of a kind", 1)[0].name == "count_birds"


def test_standing_tools_take_the_lowest_places_and_never_add(toolbox):
    nearest = [tool.name for tool in toolbox.find("count birds of one kind")]
    offered = [
        t.name for t in toolbox.tools_for("count birds of one kind", ["read_toolbox", "expand_summary"])
    ]
    assert len(offered) == 5
    assert {"read_toolbox", "expand_summary"} <= set(offered)
    assert [name for name in nearest if name in offered][:3] == nearest[:3]


def test_more_standing_tools_than_places_are_cut(toolbox):
    names = [tool.name for tool in default_tools()]
    assert len(toolbox.tools_for("owl", names)) == 5


def test_a_tool_this_process_cannot_run_is_not_offered(memory, toolbox):
    toolbox.ensure_registered()
    small = Toolbox(memory, None, [define(perch)])
    assert [tool.name for tool in small.tools_for("recite", ["read_toolbox"])] == ["perch"]
