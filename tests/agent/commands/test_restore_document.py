"""/restore-document"""

import pytest

from researchassist.agent.ingest import ingest_text
from researchassist.errors import CommandRefused


def test_the_document_is_back_as_it_was(give, assistant, memory):
    number = ingest_text(assistant, "Kestrel cuts latency.", title="Kestrel").document.id
    give("forget-document", str(number))
    assert give("restore-document", str(number)).text == "It is back in memory."
    assert [one.text for one in memory.read_knowledge_base("Kestrel").records] == ["Kestrel cuts latency."]
    assert "nothing to undo" in give("restore-document", str(number)).text


def test_what_was_forgotten_before_another_is_gone_for_good(give, assistant):
    first = ingest_text(assistant, "one", title="One").document.id
    second = ingest_text(assistant, "two", title="Two").document.id
    give("forget-document", str(first))
    give("forget-document", str(second))
    with pytest.raises(CommandRefused, match="another was forgotten since"):
        give("restore-document", str(first))
