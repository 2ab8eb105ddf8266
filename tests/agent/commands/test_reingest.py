"""/reingest"""

import pytest

from researchassist.agent.ingest import ingest_bytes, ingest_file
from researchassist.errors import UnreadableFile
from tests.outside import entry, feed, pdf


def test_a_file_is_read_again(give, assistant, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n\nOld words.")
    number = ingest_file(assistant, path).document.id
    path.write_text("# Notes\n\nNew words.")
    result = give("reingest", str(number))
    assert "read again" in result.cards[0].facts
    assert assistant.memory.read_knowledge_base("words").records[0].text.endswith("New words.")


def test_a_newer_version_of_a_paper_takes_the_place_of_the_old_one(give, httpserver):
    httpserver.expect_ordered_request("/api/query").respond_with_data(feed(entry("2310.08560v1", "MemGPT")))
    httpserver.expect_ordered_request("/pdf/2310.08560v1").respond_with_data(pdf("First version."))
    httpserver.expect_ordered_request("/api/query").respond_with_data(feed(entry("2310.08560v2", "MemGPT")))
    httpserver.expect_ordered_request("/pdf/2310.08560v2").respond_with_data(pdf("Second version."))
    number = give("save", "2310.08560").cards[0].number
    (card,) = give("reingest", number).cards
    assert "v2 takes the place of v1" in card.warning


def test_an_added_file_is_not_at_hand_any_more(give, assistant):
    number = ingest_bytes(assistant, "o.pdf", pdf("One.")).document.id
    with pytest.raises(UnreadableFile, match="Add the file once more"):
        give("reingest", str(number))
