"""WORKFLOW_MEMORY: how earlier questions were worked on (R11)."""

from collections.abc import Sequence

from django.db.models import Q

from researchassist.memory.embedding import Embedder
from researchassist.memory.models import WorkflowMemory
from researchassist.memory.readings import WORKFLOW, Item, Reading
from researchassist.memory.records import WorkflowRecord
from researchassist.memory.text import storable
from researchassist.memory.vectors import Vector

from .vector_store import VectorStore

# R11
ANSWER_EXCERPT_CHARS = 200
# Enough of a long question to find it by; the whole question stands in the row.
_EMBEDDED_QUERY_CHARS = 800


class WorkflowStore:
    """Tool steps of earlier turns by the similarity of their question."""

    def __init__(self) -> None:
        self.store = VectorStore(WorkflowMemory)

    def draft(
        self,
        *,
        query: str,
        steps: Sequence[str],
        answer: str,
        success: bool,
        thread_id: str | None,
        turn_id: str | None = None,
    ) -> WorkflowMemory:
        """An unsaved row; embed it outside the transaction that saves it."""
        query, steps = storable(query), [storable(step) for step in steps]
        excerpt = storable(answer)[:ANSWER_EXCERPT_CHARS]
        numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        return WorkflowMemory(
            text=f"{query[:_EMBEDDED_QUERY_CHARS]}\n{numbered}\n{excerpt}",
            thread_id=thread_id,
            turn_id=turn_id,
            query=query,
            steps=steps,
            answer_excerpt=excerpt,
            num_steps=len(steps),
            success=success,
        )

    def write(self, row: WorkflowMemory, embedder: Embedder) -> WorkflowRecord:
        """Embeds and keeps a drafted row."""
        self.store.embed([row], embedder)
        self.store.save([row])
        return _record(row)

    def read(self, vector: Vector | None, k: int) -> Reading[WorkflowRecord]:
        """The `k` most similar workflows that have steps, as the workflow segment; not those of turns
        whose question is superseded."""
        where = Q(num_steps__gt=0) & (Q(turn=None) | Q(turn__question__superseded_at=None))
        hits = [] if vector is None else self.store.search(vector, k, where)
        records = tuple(_record(row, score) for row, score in hits)
        return Reading(
            kind=WORKFLOW,
            records=records,
            items=tuple(Item(_text(record)) for record in records),
            empty="No workflow in memory yet.",
        )


def _record(row: WorkflowMemory, score: float = 0.0) -> WorkflowRecord:
    return WorkflowRecord(
        id=str(row.pk),
        query=row.query,
        steps=tuple(row.steps),
        answer_excerpt=row.answer_excerpt,
        num_steps=row.num_steps,
        success=row.success,
        timestamp=row.timestamp,
        score=score,
    )


def _text(record: WorkflowRecord) -> str:
    steps = "\n".join(f"  {number}. {step}" for number, step in enumerate(record.steps, 1))
    ended = "ended with an answer" if record.success else "ended without an answer"
    query = record.query if len(record.query) <= 300 else record.query[:300] + " […]"
    # Not the answer itself: a model that sees the time or a price of last week repeats it as today's.
    # A way that failed is there to be avoided, and must not read like a recipe.
    warning = "" if record.success else "Warning, this way did not work. "
    return f"- {warning}Question: {query}\n{steps}\n  It {ended}."
