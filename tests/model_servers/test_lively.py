"""While files are read, answers go on streaming: reading happens in other processes (B07)."""

import re
import threading
import time
from collections.abc import Callable
from itertools import pairwise

from django.db import connections

from researchassist.agent.assistant import Assistant
from researchassist.agent.events import TextAdded
from researchassist.agent.ingest import ingest_bytes
from researchassist.agent.turn import TurnRequest, stream_turn
from tests.fake_model_server import FakeModelServer
from tests.outside import pdf

from .streams import raw

TOKENS, PAGES = 200, 120


def test_tokens_keep_arriving_while_four_papers_are_read_and_none_mixes_with_another(
    served: Callable[..., Assistant], server: FakeModelServer
) -> None:
    server.loop += [raw([{"content": f"word{n} "} for n in range(TOKENS)], pause=0.02)]
    assistant = served()
    files = {
        f"{number}.pdf": pdf(
            f"Paper {number}", *(f"marker-{number}-{page}. " + "Owls sleep.\n" * 30 for page in range(PAGES))
        )
        for number in range(4)
    }

    def ingest(name: str, data: bytes) -> None:
        try:
            ingest_bytes(assistant, name, data)
        finally:
            connections.close_all()

    readers = [threading.Thread(target=ingest, args=item) for item in files.items()]
    events = stream_turn(assistant, TurnRequest("t", "Tell me."))
    times: list[float] = []
    for event in events:
        if isinstance(event, TextAdded):
            times.append(time.monotonic())
        if len(times) == 5 and not readers[0].ident:
            for reader in readers:
                reader.start()
    for reader in readers:
        reader.join(60)

    assert len(times) == TOKENS
    assert max(later - earlier for earlier, later in pairwise(times)) < 1.5
    documents = assistant.memory.documents()
    assert len(documents) == 4
    for document in documents:
        number = document.title.split()[-1]
        found = assistant.memory.read_knowledge_base(f"marker-{number}-7", k=1000).records
        texts = [passage.text for passage in found if passage.document_id == document.id]
        marks = set(re.findall(r"marker-(\d)-(\d+)", " ".join(texts)))
        assert marks == {(number, str(page)) for page in range(PAGES)}
