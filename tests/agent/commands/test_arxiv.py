"""/arxiv"""

import pytest

from researchassist.agent.commands.definition import Action
from researchassist.errors import CommandRefused, WebError
from tests.outside import entry, feed


def test_papers_are_numbered_kept_and_can_be_saved(give, memory, httpserver):
    found = feed(entry("2310.08560v2", "MemGPT", abstract="Virtual context."), entry("2401.00001v1", "Other"))
    httpserver.expect_request("/api/query").respond_with_data(found)
    result = give("arxiv", "virtual context")
    assert [(row.number, row.title) for row in result.rows] == [("1", "MemGPT"), ("2", "Other")]
    assert result.rows[0].facts == ("Alice Nobody", "2023-10-12", "arXiv 2310.08560v2")
    assert result.rows[0].actions == (Action("Save", "/save 2310.08560v2"),)
    assert result.rows[0].url == "https://arxiv.org/abs/2310.08560v2"
    assert {one.title for one in memory.documents()} == {"MemGPT", "Other"}


def test_a_paper_that_is_in_memory_whole_is_said_to_be(give, httpserver):
    from tests.outside import pdf

    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2310.08560v2", "MemGPT")))
    httpserver.expect_request("/pdf/2310.08560v2").respond_with_data(pdf("Virtual context.", "Paging."))
    give("save", "2310.08560")
    (row,) = give("arxiv", "MemGPT").rows
    assert row.actions == ()
    assert "in memory: 2 pages" in row.facts


def test_that_arxiv_is_down_is_no_empty_result(give, httpserver):
    httpserver.expect_request("/api/query").respond_with_data("Rate exceeded.")
    with pytest.raises(WebError, match="refusing requests or down"):
        give("arxiv", "owls")


def test_nothing_found_is_said(give, httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed())
    assert "no paper" in give("arxiv", "qqq").text


def test_an_empty_query_asks_nobody(give, httpserver):
    with pytest.raises(CommandRefused, match="/arxiv virtual"):
        give("arxiv", " ")
    assert httpserver.log == []
