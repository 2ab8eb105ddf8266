"""/save"""

import pytest

from researchassist.agent.commands import BY_NAME
from researchassist.agent.commands.definition import CommandContext
from researchassist.errors import CommandRefused, NotAReference, WebError
from tests.outside import entry, feed, pdf


@pytest.mark.parametrize(
    "given",
    ["2310.08560", "arXiv:2310.08560v2", "https://arxiv.org/abs/2310.08560", "10.48550/arXiv.2310.08560"],
)
def test_a_paper_becomes_a_card(give, memory, httpserver, given: str):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2310.08560v2", "MemGPT")))
    httpserver.expect_request("/pdf/2310.08560v2").respond_with_data(pdf("Virtual context.", "Paging."))
    told: list[str] = []
    result = give("save", given, tell=told.append)
    (card,) = result.cards
    assert card.title == "MemGPT"
    assert card.facts == ("Alice Nobody", "2023-10-12", "pdf", "2 pages", "2 passages")
    assert told[0] == "Asking arXiv for 2310.08560" + ("v2" if "v2" in given else "")
    assert memory.documents()[0].passages == 2
    assert "already in memory" in give("save", given).cards[0].facts


@pytest.mark.parametrize("given", ["hello", "9901001", "file:///etc/passwd", "/etc/passwd", "a paper"])
def test_what_is_no_reference_asks_nobody(give, httpserver, given: str):
    with pytest.raises(NotAReference):
        give("save", given)
    assert httpserver.log == []


@pytest.mark.parametrize("given", ["http://127.0.0.1:1/", "http://localhost/x", "http://169.254.169.254/"])
def test_a_link_that_leads_inside_is_refused(assistant_with, given: str):
    context = CommandContext(assistant_with(), "alice")
    with pytest.raises(WebError):
        BY_NAME["save"].run(context, given)


def test_nothing_to_save_is_said(give):
    with pytest.raises(CommandRefused, match="Say what to save"):
        give("save")
