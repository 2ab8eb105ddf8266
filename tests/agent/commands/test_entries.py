"""Documents as entries"""

from researchassist.agent.commands.entries import counted, entry_of, names
from researchassist.agent.ingest import ingest_text


def test_hostile_text_stays_text(assistant):
    title = '<script>alert(1)</script> "quoted" [x](javascript:1)'
    assert entry_of(ingest_text(assistant, "words", title=title).document).title == title


def test_many_authors_are_counted():
    assert names(tuple("ABCDEFGH")) == "A, B, C, D, E, F and 2 more"
    assert [counted(n, "summary") for n in (0, 1, 1200)] == ["", "1 summary", "1,200 summaries"]
