"""AC3 (R2, D7): the true nearest neighbour comes first, with where it comes from."""

from collections.abc import Callable

import numpy as np

from researchassist.agent.assistant import Assistant
from researchassist.memory.models import SemanticMemory

QUERY = "entity graphs for routing tools"


def test_a_heron_passage_ranks_first_and_is_the_exact_nearest(
    with_samples: Assistant, evidence: Callable[[str], None]
) -> None:
    memory = with_samples.memory

    records = memory.read_knowledge_base(QUERY, k=3).records

    assert len(records) == 3
    assert records[0].source == "heron-notes.md"
    assert records[0].metadata["source"] == "heron-notes.md"
    query = memory.embedder.embed([QUERY])[0].astype(np.float64)
    naive = {
        str(row.pk): float(np.frombuffer(bytes(row.embedding), "<f4").astype(np.float64) @ query)
        for row in SemanticMemory.objects.all()
    }
    assert [r.id for r in records] == sorted(naive, key=lambda pk: -naive[pk])[:3]
    evidence(f"heron-notes.md first at cosine {records[0].score:.3f}; order equals the naive computation")
