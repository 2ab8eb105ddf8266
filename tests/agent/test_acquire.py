"""Search-and-store (R14, D13): what is found outside is memory in the same call."""

import json

import pytest

from researchassist.agent import acquire
from researchassist.agent.ingest import ingest_reference, reingest
from researchassist.errors import NotAReference, NoText, PaperNotFound, WebError
from researchassist.memory.models import SemanticMemory
from researchassist.papers.identify import ArxivId
from tests import outside
from tests.outside import entry, feed, pdf


@pytest.fixture
def assistant(assistant_with, httpserver):
    return assistant_with("unused", sources=outside.sources(httpserver, key="tvly-key"))


@pytest.fixture
def paper(httpserver):
    """Plays one paper; gives what to call with a version to play it in that one."""

    def play(
        version: str = "v1", body: bytes | str | None = None, abstract: str = "We make things up."
    ) -> None:
        httpserver.clear()
        answer = feed(entry(f"2401.00001{version}", "Owls remember", abstract=abstract))
        httpserver.expect_request("/api/query").respond_with_data(answer)
        data = pdf(f"Owls remember places, says {version}.", "A second page.") if body is None else body
        httpserver.expect_request(f"/pdf/2401.00001{version}").respond_with_data(data)

    play()
    return play


def texts() -> list[str]:
    return [row.text for row in SemanticMemory.objects.order_by("pk")]


def test_what_a_search_finds_is_kept_in_the_same_call(assistant, httpserver):
    found = [entry(f"2401.0000{n}v1", f"Paper {n}", abstract=f"About owls {n}.") for n in range(1, 9)]
    httpserver.expect_request("/api/query").respond_with_data(feed(*found))
    searched = acquire.search_papers(assistant, "owls")
    assert len(searched.papers) == 8
    assert texts() == [f"Paper {n}\n\nAbout owls {n}." for n in range(1, 9)]
    row = SemanticMemory.objects.get(text__startswith="Paper 3")
    assert {
        "source": "arxiv:2401.00003",
        "title": "Paper 3",
        "chunk_id": 0,
        "num_chunks": 1,
    }.items() <= row.metadata.items()
    document = assistant.memory.documents(source="arxiv:2401.00003")[0]
    assert (document.kind, document.version, document.url) == (
        "arxiv abstract",
        "v1",
        "https://arxiv.org/abs/2401.00003v1",
    )


def test_the_same_search_again_keeps_nothing_twice(assistant, paper, tiny_embedder):
    acquire.search_papers(assistant, "owls")
    calls = tiny_embedder.calls
    assert [one.status for one in acquire.search_papers(assistant, "owls").kept] == ["unchanged"]
    assert tiny_embedder.calls == calls


def test_a_saved_paper_has_its_pages_offsets_and_times(assistant, paper):
    done = acquire.save_paper(assistant, ArxivId("2401.00001"))
    assert (done.status, done.document.pages, done.document.state) == ("new", 2, "ready")
    assert (done.document.authors, done.document.published) == (("Alice Nobody",), "2023-10-12")
    first, second = SemanticMemory.objects.order_by("pk")
    assert (first.metadata["page"], second.metadata["page"]) == (1, 2)
    assert {"start", "end", "timestamp", "chunk_id"} <= set(first.metadata)
    assert first.metadata["num_chunks"] == 2


def test_saving_takes_the_abstracts_place_and_a_search_does_not_take_the_papers(assistant, paper):
    acquire.search_papers(assistant, "owls")
    assert acquire.save_paper(assistant, ArxivId("2401.00001")).status == "changed"
    acquire.search_papers(assistant, "owls")
    assert [one.kind for one in assistant.memory.documents()] == ["pdf"]
    assert len(texts()) == 2


@pytest.mark.parametrize("again", ["2401.00001", "2401.00001v1", "https://arxiv.org/pdf/2401.00001"])
def test_the_same_paper_under_another_form_of_its_id_is_one_document(assistant, paper, again: str):
    ingest_reference(assistant, "2401.00001")
    assert ingest_reference(assistant, again).status == "unchanged"
    assert len(assistant.memory.documents()) == 1


def test_a_new_version_takes_the_place_of_the_old_and_is_shown_as_such(assistant, paper):
    acquire.save_paper(assistant, ArxivId("2401.00001"))
    paper("v2")
    done = acquire.save_paper(assistant, ArxivId("2401.00001", "v2"))
    assert (done.status, done.document.version, done.note) == ("changed", "v2", "v2 takes the place of v1.")
    assert texts() == ["Owls remember places, says v2.", "A second page."]


def test_a_paper_without_a_pdf_is_its_abstract_and_says_so(assistant, httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2401.00001v1", "Owls remember")))
    httpserver.expect_request("/pdf/2401.00001v1").respond_with_data("", 404)
    document = acquire.save_paper(assistant, ArxivId("2401.00001")).document
    assert (document.kind, document.state) == ("arxiv abstract", "partial")
    assert document.warning == "There is no PDF of this paper; only its abstract."


def test_a_pdf_that_cannot_be_read_leaves_the_abstract_and_the_reason(assistant, paper):
    paper(body=b"%PDF-1.7 nonsense")
    document = acquire.save_paper(assistant, ArxivId("2401.00001")).document
    assert document.state == "partial"
    assert document.warning.startswith("Only its abstract; 2401.00001.pdf: ")


def test_an_error_page_in_the_pdfs_place_stores_nothing(assistant, paper):
    paper(body="<html>Rate exceeded</html>")
    with pytest.raises(WebError, match="web page instead"):
        acquire.save_paper(assistant, ArxivId("2401.00001"))
    assert texts() == []


def test_a_refusing_arxiv_stores_nothing(assistant, httpserver):
    httpserver.expect_request("/api/query").respond_with_data("Rate exceeded.")
    with pytest.raises(WebError, match="refusing requests or down"):
        acquire.search_papers(assistant, "owls")
    assert assistant.memory.documents() == []


def test_an_old_id_can_be_taken_in_again_and_deleted(assistant, httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("hep-th/9901001v1")))
    httpserver.expect_request("/pdf/hep-th/9901001v1").respond_with_data(pdf("Strings."))
    done = ingest_reference(assistant, "hep-th/9901001")
    assert reingest(assistant, done.document.id).status == "unchanged"
    assistant.memory.delete_document(done.document.id)
    assert texts() == []


@pytest.mark.parametrize(
    "text", ["9901001", "2413.00001", "not-a-paper", "../../etc/passwd", "2401.00001,2401.00002"]
)
def test_what_is_no_reference_causes_no_request(assistant, httpserver, text: str):
    with pytest.raises(NotAReference):
        ingest_reference(assistant, text)
    assert httpserver.log == []


def test_an_old_number_is_told_what_it_lacks(assistant):
    with pytest.raises(NotAReference, match="needs its archive, such as hep-th/9901001"):
        ingest_reference(assistant, "9901001")


def test_a_doi_is_kept_with_what_its_registrar_says(assistant, httpserver):
    moved = {"Location": "http://api.crossref.org/works/10.1234/owls"}
    httpserver.expect_request("/10.1234/owls").respond_with_data("", 302, moved)
    work = {
        "title": ["Owls <i>remember</i>"],
        "author": [{"given": "Ann", "family": "Lee"}],
        "container-title": "Owls",
        "issued": {"date-parts": [[2021, 4]]},
        "abstract": "<jats:p>They do.</jats:p>",
    }
    httpserver.expect_request("/works/10.1234/owls").respond_with_json(work)
    document = ingest_reference(assistant, "http://doi.org/10.1234/OWLS").document
    assert (document.title, document.authors, document.published) == (
        "Owls remember",
        ("Ann Lee",),
        "2021-04",
    )
    assert (document.source, document.state) == ("doi:10.1234/owls", "partial")
    assert texts() == ["Owls remember\n\nAnn Lee\n\nOwls, 2021-04\n\nThey do."]


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [(404, "", PaperNotFound), (503, "", WebError), (200, "<html>", WebError), (200, "[]", WebError)],
)
def test_a_doi_that_cannot_be_had_is_told(assistant, httpserver, status: int, body: str, error: type):
    httpserver.expect_request("/10.1234/owls").respond_with_data(body, status)
    with pytest.raises(error):
        ingest_reference(assistant, "10.1234/owls")
    assert assistant.memory.documents() == []


def test_a_link_the_person_gave_is_kept_by_its_content_and_not_its_type(assistant, httpserver):
    httpserver.expect_request("/paper").respond_with_data(pdf("Owls remember."), content_type="text/html")
    document = ingest_reference(assistant, "http://example.com/paper#top").document
    assert (document.kind, document.source, document.url) == (
        "pdf",
        "http://example.com/paper",
        "http://example.com/paper",
    )


def test_a_link_that_answers_with_an_error_stores_nothing(assistant, httpserver):
    httpserver.expect_request("/paper").respond_with_data("<html><body>Owls are gone</body></html>", 404)
    with pytest.raises(WebError, match=r"answers with an error \(404\)"):
        ingest_reference(assistant, "http://example.com/paper")
    httpserver.expect_request("/empty").respond_with_data(b"")
    with pytest.raises(NoText):
        ingest_reference(assistant, "http://example.com/empty")
    assert assistant.memory.documents() == []


def test_web_results_are_kept_in_the_same_call_with_where_they_come_from(assistant, httpserver):
    found = {
        "title": "Owl news",
        "url": "https://example.com/news",
        "content": "Owls were seen.",
        "score": 0.9,
    }
    httpserver.expect_request("/search", method="POST").respond_with_json(
        {"results": [found, {"title": "no url"}]}
    )
    assert len(acquire.search_web(assistant, "owl sightings", 5)) == 1
    metadata = SemanticMemory.objects.get().metadata
    assert metadata.pop("timestamp")
    assert metadata == {
        "source": "https://example.com/news", "title": "Owl news", "url": "https://example.com/news",
        "score": 0.9,
        "query": "owl sightings", "chunk_id": 0, "num_chunks": 1, "start": 0, "end": 15,
    }  # fmt: skip
    request = httpserver.log[0][0]
    assert json.loads(request.data) == {"query": "owl sightings", "max_results": 5}
    assert request.headers["Authorization"] == "Bearer tvly-key"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [(401, "{}", "check TAVILY_API_KEY"), (500, "", "down"), (200, "[]", "cannot be read")],
)
def test_a_web_search_that_fails_is_told(assistant, httpserver, status: int, body: str, message: str):
    httpserver.expect_request("/search").respond_with_data(body, status)
    with pytest.raises(WebError, match=message):
        acquire.search_web(assistant, "owls", 5)


def test_a_link_to_a_reference_list_keeps_each_entry(assistant, httpserver):
    listed = "@article{a, title={Owls}, abstract={x}}\n@article{b, title={Wrens}, abstract={y}}"
    httpserver.expect_request("/refs.bib").respond_with_data(listed)
    done = ingest_reference(assistant, "http://example.com/refs.bib")
    assert [one.document.source for one in done.entries] == [
        "http://example.com/refs.bib#a", "http://example.com/refs.bib#b"
    ]  # fmt: skip
