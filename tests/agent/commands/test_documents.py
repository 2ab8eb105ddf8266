"""/documents"""

from researchassist.agent.commands.definition import Action
from researchassist.agent.ingest import ingest_bytes, ingest_text
from tests.outside import pdf


def test_documents_are_listed_with_the_number_they_are_known_by(give, assistant):
    first = ingest_text(assistant, "Kestrel cuts latency.", title="Kestrel notes").document
    second = ingest_bytes(assistant, "o.pdf", pdf("One.", "Two.", title="Osprey")).document
    result = give("documents")
    assert [row.number for row in result.rows] == [str(second.id), str(first.id)]
    assert {"pdf", "2 pages", "2 passages"} <= set(result.rows[0].facts)
    assert result.rows[0].actions == (Action("Forget", f"/forget-document {second.id}"),)


def test_words_narrow_the_list(give, assistant):
    ingest_text(assistant, "a", title="Kestrel notes")
    ingest_text(assistant, "b", title="Heron notes")
    assert [row.title for row in give("documents", "NOTES heron").rows] == ["Heron notes"]
    assert "No document has these words" in give("documents", "owl").text


def test_a_long_list_says_how_many_there_are(give, assistant):
    for number in range(53):
        ingest_text(assistant, f"text {number}", title=f"Note {number}")
    result = give("documents")
    assert len(result.rows) == 50
    assert "of 53" in result.text


def test_an_empty_memory_says_what_to_do(give):
    assert "No documents are in memory yet" in give("documents").text
