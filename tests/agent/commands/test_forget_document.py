"""/forget-document"""

import pytest

from researchassist.agent.commands.definition import Action
from researchassist.agent.ingest import ingest_text
from researchassist.errors import CommandRefused, UnknownDocument


def test_what_is_forgotten_is_found_no_more_and_can_be_undone(give, assistant, memory):
    number = ingest_text(assistant, "Kestrel cuts latency.", title="Kestrel").document.id
    (card,) = give("forget-document", f"#{number}").cards
    assert card.title == "Kestrel"
    assert card.actions == (Action("Undo", f"/restore-document {number}"),)
    assert memory.documents() == []
    assert memory.read_knowledge_base("Kestrel latency").records == ()


@pytest.mark.parametrize("given", ["", "Kestrel", "1 2", "-1", "٣", "9" * 30])
def test_a_number_is_asked_for(give, given: str):
    with pytest.raises(CommandRefused, match="the number of one document"):
        give("forget-document", given)


def test_an_unknown_number_is_said(give):
    with pytest.raises(UnknownDocument):
        give("forget-document", "99")
