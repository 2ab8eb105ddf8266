"""arXiv on good and bad days (B11): what it says, what it refuses, and how politely it is asked."""

import socket
import threading
import time
from contextlib import closing
from urllib.parse import parse_qs

import pytest
from werkzeug import Response

from researchassist.errors import PaperNotFound, WebError
from researchassist.papers.arxiv import Arxiv
from researchassist.papers.identify import ArxivId
from tests.outside import arxiv, door, entry, feed, pdf

PAPER = ArxivId("2310.08560")


def asked(httpserver) -> list[dict[str, str]]:
    return [
        {key: values[0] for key, values in parse_qs(r.query_string.decode()).items()}
        for r, _ in httpserver.log
    ]


def test_a_search_gives_what_the_feed_says(httpserver):
    abstract = "An operating system for memory. " * 100
    httpserver.expect_request("/api/query").respond_with_data(
        feed(entry("2310.08560v2", "MemGPT:\n  Towards LLMs", abstract=abstract, author="Charles Packer"))
    )
    papers, note = arxiv(httpserver).search("agent memory", 8)
    found = papers[0].as_json()
    assert note == ""
    assert len(found.pop("abstract")) == 2500
    assert found == {
        "arxiv_id": "2310.08560v2",
        "entry_id": "https://arxiv.org/abs/2310.08560v2",
        "title": "MemGPT: Towards LLMs",
        "authors": ["Charles Packer"],
        "published": "2023-10-12T17:51:32Z",
    }
    assert asked(httpserver)[0]["search_query"] == "all:agent AND all:memory"


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("the MemGPT paper", "all:MemGPT"),
        ("au:packer AND ti:memgpt", "au:packer AND ti:memgpt"),
        ("self-attention (2017)!", 'all:"self-attention" AND all:2017'),
        ("the paper", "all:the paper"),
    ],
)
def test_words_are_searched_for_together_and_arxivs_own_syntax_is_left(httpserver, query: str, sent: str):
    httpserver.expect_request("/api/query").respond_with_data(feed())
    assert arxiv(httpserver).search(query, 8) == ([], "")
    assert asked(httpserver)[0]["search_query"] == sent


@pytest.mark.parametrize(
    "answer",
    [
        Response("Rate exceeded.", 200),
        Response("<!DOCTYPE html><html><body><h1>Down for maintenance</h1></body></html>", 200),
        Response("", 200),
        Response("nothing here", 404),
        Response("<a/>", 200),
        Response('<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "aaaa">]><feed>&a;', 200),
    ],
)
@pytest.mark.parametrize("how", ["search", "paper"])
def test_what_is_no_feed_is_a_refusal_and_never_not_found(httpserver, how: str, answer: Response):
    httpserver.expect_request("/api/query").respond_with_response(answer)
    with pytest.raises(WebError, match="arXiv is refusing requests or down"):
        arxiv(httpserver).search("owls", 8) if how == "search" else arxiv(httpserver).paper(PAPER)


@pytest.mark.parametrize("status", [200, 400])
def test_an_error_of_the_api_is_an_error_and_no_paper(httpserver, status: int):
    said = feed(entry("x", "Error", abstract="incorrect id format for foo")).replace(
        "abs/x", "api/errors#incorrect_id_format_for_foo"
    )
    httpserver.expect_request("/api/query").respond_with_data(said, status)
    with pytest.raises(WebError, match="incorrect id format for foo"):
        arxiv(httpserver).search("owls", 8)


def test_a_paper_that_is_not_there_is_not_found(httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed())
    with pytest.raises(PaperNotFound, match=r"arXiv has no paper 2310\.08560\."):
        arxiv(httpserver).paper(PAPER)


def test_a_feed_of_another_paper_is_not_taken_for_the_one_asked_for(httpserver):
    httpserver.expect_request("/api/query").respond_with_data(
        feed(entry("2310.99999v1"), entry("2310.08560v3"))
    )
    assert arxiv(httpserver).paper(PAPER).version == "v3"
    with pytest.raises(PaperNotFound):
        arxiv(httpserver).paper(ArxivId("2310.08560", "v2"))


def test_an_old_id_is_found_under_its_archive(httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("hep-th/9901001v1")))
    paper = arxiv(httpserver).paper(ArxivId("hep-th/9901001"))
    assert (paper.arxiv_id, paper.version) == ("hep-th/9901001", "v1")


def test_a_busy_server_is_asked_again_and_its_wish_to_wait_is_heard(httpserver):
    for _ in range(2):
        httpserver.expect_ordered_request("/api/query").respond_with_data("", 503, {"Retry-After": "7"})
    httpserver.expect_ordered_request("/api/query").respond_with_data(feed(entry("hep-th/9901001v1")))
    slept: list[float] = []
    assert arxiv(httpserver, slept=slept).paper(ArxivId("hep-th/9901001")).title == "A made-up paper"
    assert [round(seconds) for seconds in slept] == [0, 7, 7]


def test_a_long_wait_is_told_and_not_waited_for(httpserver):
    httpserver.expect_request("/api/query").respond_with_data("", 429, {"Retry-After": "60"})
    slept: list[float] = []
    with pytest.raises(WebError, match="refusing requests and asks to wait 60 seconds"):
        arxiv(httpserver, slept=slept).search("owls", 8)
    assert len(httpserver.log) == 1
    assert sum(slept) < 1


def test_a_server_that_stays_busy_is_given_up(httpserver):
    httpserver.expect_request("/api/query").respond_with_data("", 429)
    with pytest.raises(WebError, match="refusing requests or down"):
        arxiv(httpserver).search("owls", 8)
    assert len(httpserver.log) == 4


def test_requests_keep_their_distance(httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2310.08560v1")))
    slept: list[float] = []
    client = arxiv(httpserver, slept=slept)
    for _ in range(3):
        client.paper(PAPER)
    assert [round(seconds) for seconds in slept] == [0, 3, 3]


def test_results_of_a_search_that_breaks_off_are_kept_with_a_note(httpserver):
    page = feed(*(entry(f"2401.{number:05}v1") for number in range(1, 101)), total=250)
    httpserver.expect_ordered_request("/api/query").respond_with_data(page)
    httpserver.expect_ordered_request("/api/query").respond_with_data(feed(total=250))
    papers, note = arxiv(httpserver).search("owls", 200)
    assert len(papers) == 100
    assert note == "arXiv stopped after 100 results; there are more."


def test_results_before_a_failing_page_are_kept_with_a_note(httpserver):
    page = feed(*(entry(f"2401.{number:05}v1") for number in range(1, 101)), total=250)
    httpserver.expect_ordered_request("/api/query").respond_with_data(page)
    httpserver.expect_ordered_request("/api/query").respond_with_data("Rate exceeded.")
    papers, note = arxiv(httpserver).search("owls", 200)
    assert (len(papers), note[:28]) == (100, "arXiv stopped after 100 resu")


def test_a_server_that_accepts_and_never_answers_is_given_up():
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        silent = door_to(server.getsockname()[1])
        started = time.monotonic()
        with pytest.raises(WebError, match="did not answer in time"):
            silent.search("owls", 8)
        assert time.monotonic() - started < 3


def door_to(port: int) -> Arxiv:
    from researchassist.papers.web import Door

    slow = Door(
        hosts=None,
        seconds=1.0,
        megabytes=1,
        resolve=lambda *_: [("127.0.0.1", port)],
        is_allowed=lambda _: True,
    )
    return Arxiv(slow, slow, pause=0, api="http://export.arxiv.org/api/query", pdfs="http://arxiv.org/pdf/")


def test_the_address_of_the_pdf_is_built_from_the_id_whatever_the_feed_says(httpserver):
    elsewhere = '<link title="pdf" href="http://127.0.0.1:1/secret.pdf" type="application/pdf"/>'
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("math/0309136v2", link=elsewhere)))
    httpserver.expect_request("/pdf/math/0309136v2").respond_with_data(pdf("Owls"))
    client = arxiv(httpserver)
    assert client.pdf(client.paper(ArxivId("math/0309136"))).startswith(b"%PDF-")


@pytest.mark.parametrize("body", ["<html>Rate exceeded</html>", ""])
def test_an_error_page_is_never_taken_for_a_pdf(httpserver, body: str):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2310.08560v1")))
    httpserver.expect_request("/pdf/2310.08560v1").respond_with_data(body, content_type="application/pdf")
    client = arxiv(httpserver)
    with pytest.raises(WebError, match="a web page instead of the paper's PDF"):
        client.pdf(client.paper(PAPER))


def test_a_paper_without_a_pdf_is_told_from_a_server_that_is_down(httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2310.08560v1")))
    client = arxiv(httpserver)
    paper = client.paper(PAPER)
    httpserver.expect_ordered_request("/pdf/2310.08560v1").respond_with_data("", 404)
    assert client.pdf(paper) is None
    httpserver.expect_ordered_request("/pdf/2310.08560v1").respond_with_data("", 403)
    with pytest.raises(WebError, match="refusing requests or down"):
        client.pdf(paper)


def test_two_threads_keep_the_distance_together(httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2310.08560v1")))
    slept: list[float] = []
    client = Arxiv(
        *(door(httpserver),) * 2, pause=3.0, api="http://export.arxiv.org/api/query", sleep=slept.append
    )
    threads = [threading.Thread(target=client.paper, args=(PAPER,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(round(seconds) for seconds in slept) == [0, 3, 3]
