"""AC20 (R1, R2, R9, R16): the conversation of the course's own demonstration, four turns."""

import json
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from pytest_httpserver import HTTPServer

from researchassist.agent import assistant as assistants
from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.agent.turn import AgentTurnResult, call_agent
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.llm.types import Reply, ToolCall
from researchassist.memory.manager import MemoryManager
from tests import outside
from tests.fake_model_server import LOOP, WRITER, FakeModelServer
from tests.outside import entry, feed, pdf

from .test_ac14_structured_summary import GOOD_LABEL, GOOD_SUMMARY
from .test_ac19_arxiv_search import reachable

TURNS = (
    "Find the MemGPT paper",
    "Save the content of the paper",
    "Summarize the conversation so far using your tool",
    "What was my first question?",
)


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    runner().wait_idle()
    assistants.use(None)


@pytest.mark.live
def test_live_the_conversation(
    transactional_db: None, memory: MemoryManager, evidence: Callable[[str], None]
) -> None:
    if not (settings.OPENAI_API_KEY and reachable("export.arxiv.org")):
        pytest.skip("OPENAI_API_KEY is not set, or there is no network")
    options = memory.options
    model = OpenAICompatibleModel(options.loop_model, key=settings.OPENAI_API_KEY)
    writer = OpenAICompatibleModel(options.writer_model, key=settings.OPENAI_API_KEY)
    results = hold(assistants.build(memory, model=model, writer=writer))
    check(memory, results)
    evidence(f"{options.loop_model}: {results[3].final_answer[:120]}")


def test_on_loopback_the_conversation(
    transactional_db: None, memory: MemoryManager, httpserver: HTTPServer, evidence: Callable[[str], None]
) -> None:
    server = FakeModelServer(httpserver)
    play_arxiv(httpserver)
    assistant = assistants.build(
        memory,
        model=OpenAICompatibleModel(LOOP, key="sk-test", base_url=server.url),
        writer=OpenAICompatibleModel(WRITER, key="sk-test", base_url=server.url),
        sources=outside.sources(httpserver),
    )
    first = hold(assistant, TURNS[:3], server)
    summary = memory.messages("memgpt")[0].summary_id
    last = hold(assistant, TURNS[3:], server, summary=summary or "")

    assert server.problems == []
    check(memory, [*first, *last])
    assert memory.documents(source="arxiv:2310.08560")[0].pages == 2
    evidence(f"loopback: summary {summary} expanded, answer {last[0].final_answer!r}")


def play_arxiv(httpserver: HTTPServer) -> None:
    """arXiv with one paper."""
    found = feed(entry("2310.08560v2", "MemGPT: Towards LLMs as Operating Systems", author="Charles Packer"))
    httpserver.expect_request("/api/query").respond_with_data(found)
    httpserver.expect_request("/pdf/2310.08560v2").respond_with_data(
        pdf("MemGPT gives a model virtual context.", "Main context is paged in and out.")
    )


def hold(
    assistant: Assistant,
    turns: tuple[str, ...] = TURNS,
    server: FakeModelServer | None = None,
    summary: str = "",
) -> list[AgentTurnResult]:
    """The turns in one thread; with `server` the model's part is played, by what it is asked."""
    assistants.use(assistant)
    results = []
    for query in turns:
        if server is not None:
            play(server, query, summary)
        results.append(call_agent(assistant, query, "memgpt"))
        runner().wait_idle()
    return results


def play(server: FakeModelServer, query: str, summary: str) -> None:
    """What an attentive model does in each turn."""
    calls = {
        TURNS[0]: (
            "search_arxiv",
            {"query": "MemGPT"},
            "I found MemGPT, arXiv 2310.08560v2. Shall I save it?",
        ),
        TURNS[1]: ("save_paper", {"arxiv_id": "2310.08560v2"}, "I saved MemGPT with its two pages."),
        TURNS[2]: ("summarize_conversation", {}, "Done: the conversation is condensed."),
        TURNS[3]: ("expand_summary", {"summary_id": summary}, f"Your first question was: “{TURNS[0]}”."),
    }
    name, arguments, answer = calls[query]
    call = ToolCall(f"call_{TURNS.index(query)}", name, json.dumps(arguments))
    server.loop = [Reply("", (call,)), answer]
    server.writer = [GOOD_SUMMARY, GOOD_LABEL] if query == TURNS[2] else []


def check(memory: MemoryManager, results: list[AgentTurnResult]) -> None:
    """What the specification asks of the four turns."""
    assert [result.turn.outcome for result in results] == ["answered"] * 4
    logs = memory.read_tool_log("memgpt")
    names = [log.tool_name for log in logs if log.status == "success"]
    assert "search_arxiv" in names
    saved = [json.loads(log.tool_args) for log in logs if log.tool_name == "save_paper"]
    assert any("2310.08560" in arguments["arxiv_id"] for arguments in saved), "“the paper” was resolved"
    marked = [message for message in memory.messages("memgpt") if message.summary_id]
    assert marked, "turn 3 marked the messages it condensed"
    assert marked[0].content == TURNS[0]
    assert names.index("expand_summary") > names.index("summarize_conversation")
    assert "find the memgpt paper" in results[3].final_answer.casefold()
