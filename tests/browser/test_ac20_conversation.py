"""AC20 in the page: the course's four turns, typed into the composer, on loopback."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from pytest_httpserver import HTTPServer

from researchassist.agent import assistant as assistants
from researchassist.agent.runner import runner
from researchassist.agent.turn import AgentTurnResult
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.memory.manager import MemoryManager
from tests import outside
from tests.acceptance.test_ac20_memgpt_conversation import TURNS, check, play, play_arxiv
from tests.fake_model_server import LOOP, WRITER, FakeModelServer

from .conftest import Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_conversation_in_the_page(
    open_tab: Callable[..., Tab], memory: MemoryManager, httpserver: HTTPServer
) -> None:
    server = FakeModelServer(httpserver)
    play_arxiv(httpserver)
    assistants.use(
        assistants.build(
            memory,
            model=OpenAICompatibleModel(LOOP, key="sk-test", base_url=server.url),
            writer=OpenAICompatibleModel(WRITER, key="sk-test", base_url=server.url),
            sources=outside.sources(httpserver),
        )
    )
    memory.write_thread("memgpt")
    tab = open_tab("/threads/memgpt")
    page = tab.page
    for number, query in enumerate(TURNS, 1):
        said = memory.messages("memgpt")
        play(server, query, (said[0].summary_id or "") if said else "")
        tab.ask(query)
        expect(page.locator(".answer .prose")).to_have_count(number, timeout=20_000)
        runner().wait_idle()
    expect(page.locator(".answer .prose").last).to_contain_text(f"Your first question was: “{TURNS[0]}”.")
    expect(page.locator("h1")).to_have_text(TURNS[0])
    page.reload()
    expect(page.locator(".question-text")).to_have_text(list(TURNS))
    expect(page.locator(".question .foot").first).to_contain_text("in summary")
    page.locator("details.used > summary").last.click()
    expect(page.locator(".calls").last).to_contain_text("expand_summary")
    assert server.problems == []
    assert tab.complaints == []
    turns = [memory.turn(turn.id) for turn in memory.turns("memgpt")]
    check(
        memory,
        [
            AgentTurnResult("memgpt", turn.answer.content if turn.answer else "", turn.steps, True, turn)
            for turn in turns
        ],
    )
    tab.ask("/documents")
    expect(page.locator(".rows")).to_contain_text("MemGPT: Towards LLMs as Operating Systems")
    expect(page.locator(".rows")).to_contain_text("2 pages · 2 passages")
