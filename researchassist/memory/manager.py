"""MemoryManager: the one door to memory.

Two verbs a store, write_… and read_…, named as in the specification; those of the exact stores
stand in exact.py, the person's own in personal.py, the embedding model in embedded.py. Owns the
vector stores of this process; asks no language model. Reads that become context segments give a
`Reading`; all others give records.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction

from researchassist.options import Options

from .documents import DocumentMemory
from .embedding import Embedder
from .lessons import LessonMemory
from .models import Outcome, Privacy
from .personal import PersonalMemory
from .readings import Reading
from .recall import RecallMemory
from .records import (
    EntityRecord,
    MessageRecord,
    RunningSummary,
    SummaryRecord,
    ToolRecord,
    TurnRecord,
    WorkflowRecord,
)
from .stores import turns
from .stores.entity import EntityStore
from .stores.summary import SummaryStore
from .stores.toolbox import ToolboxStore
from .stores.vector_store import VectorStore
from .stores.workflow import WorkflowStore
from .whole_threads import WholeThreadMemory


class MemoryManager(DocumentMemory, LessonMemory, RecallMemory, WholeThreadMemory, PersonalMemory):
    """The seven stores, and threads, turns and documents around them. Threads may share one."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options, embedder)
        self._workflow = WorkflowStore()
        self._toolbox = ToolboxStore()
        self._entity = EntityStore()
        self._summary = SummaryStore()

    def vector_stores(self) -> Sequence[VectorStore[Any]]:
        """The five of the specification that are searched by meaning; personal_stores() has the others."""
        return (
            self._knowledge_base.store,
            self._workflow.store,
            self._toolbox.store,
            self._entity.store,
            self._summary.store,
        )

    def all_vector_stores(self) -> Sequence[VectorStore[Any]]:
        """Those five and what stands beside them: facts, tools by their queries, messages."""
        beside = (self._toolbox.keys, self._recall.store)
        return (*self.vector_stores(), *self.personal_stores(), *beside)

    def read_in(self) -> None:
        """Reads every matrix in, so that a first question does not wait for it."""
        for store in self.all_vector_stores():
            store.size()

    def sizes(self) -> dict[str, int]:
        """How many rows each vector store holds, by its table's name; reads the matrices in."""
        return {store.name: store.size() for store in self.vector_stores()}

    # WORKFLOW_MEMORY

    def write_workflow(
        self,
        query: str,
        steps: Sequence[str],
        final_answer: str,
        success: bool = True,
        thread_id: str | None = None,
    ) -> WorkflowRecord:
        """Keeps how a question was worked on (R11)."""
        row = self._workflow.draft(
            query=query, steps=steps, answer=final_answer, success=success, thread_id=thread_id
        )
        return self._workflow.write(row, self.embedder)

    def read_workflow(self, query: str, k: int | None = None) -> Reading[WorkflowRecord]:
        """The most similar workflows that have steps (R2, R11)."""
        return self._workflow.read(self.query_vector(query), k or self.options.workflow_k)

    # TOOLBOX_MEMORY

    def write_toolbox(  # noqa: PLR0913  (the fields of one record)
        self,
        *,
        name: str,
        description: str,
        signature: str,
        parameters: Mapping[str, Any],
        queries: Sequence[str] = (),
        augmented: bool = False,
        source_hash: str = "",
    ) -> ToolRecord:
        """Keeps a tool under its name; never a second row for it (R5)."""
        return self._toolbox.write(
            name=name,
            description=description,
            signature=signature,
            parameters=parameters,
            queries=queries,
            augmented=augmented,
            source_hash=source_hash,
            embedder=self.embedder,
        )

    def read_toolbox(
        self, query: str, k: int | None = None, names: Collection[str] | None = None
    ) -> list[ToolRecord]:
        """The tools nearest to the query, at most toolbox_k, names unique (R4)."""
        return self._toolbox.read(self.query_vector(query), k or self.options.toolbox_k, names)

    def tool(self, name: str) -> ToolRecord | None:
        """The registered tool of this name."""
        return self._toolbox.get(name)

    # ENTITY_MEMORY

    def write_entity(self, name: str, entity_type: str, description: str) -> EntityRecord:
        """Keeps a person, place or system, merged with the one of the same name and type."""
        return self._entity.write(
            name=name, entity_type=entity_type, description=description, embedder=self.embedder
        )

    def read_entity(self, query: str, k: int | None = None) -> Reading[EntityRecord]:
        """The entities nearest to the query (R2)."""
        return self._entity.read(self.query_vector(query), k or self.options.entity_k)

    # SUMMARY_MEMORY

    def write_summary(
        self,
        *,
        full_content: str,
        summary: str,
        description: str,
        thread_id: str | None,
        messages: Sequence[MessageRecord] = (),
        running: RunningSummary | None = None,
    ) -> SummaryRecord | None:
        """Keeps a summary under a new id and marks exactly `messages` with it (R9).

        `running` is the thread's running summary after their eviction. None, and nothing kept, where
        another process condensed one of them, or evicted others, meanwhile.
        """
        return self._summary.write(
            full_content=full_content,
            summary=summary,
            description=description,
            thread_id=thread_id,
            messages=messages,
            embedder=self.embedder,
            running=running,
        )

    def running_summary(self, thread_id: str) -> RunningSummary | None:
        """A paged thread's running summary; None where nothing was evicted from it."""
        return self._summary.newest_running(thread_id)

    def evictions(self, thread_id: str) -> list[RunningSummary]:
        """The running summary after each eviction from a thread, oldest first."""
        return self._summary.running(thread_id)

    def read_summary_memory(self, summary_id: str) -> SummaryRecord:
        """One summary by its id; raises UnknownSummary."""
        return self._summary.get(summary_id)

    def summaries(self, thread_id: str) -> list[SummaryRecord]:
        """The summaries of a thread as it stands, oldest first."""
        return self._summary.of_thread(thread_id)

    def read_summary_context(
        self, query: str, thread_id: str, k: int | None = None
    ) -> Reading[SummaryRecord]:
        """Ids and labels of the summaries nearest to the query, this thread's first (R2)."""
        return self._summary.read(self.query_vector(query), k or self.options.summary_k, thread_id)

    # What touches several stores at once

    def finish_turn(
        self,
        turn: TurnRecord,
        *,
        outcome: str,
        answer: str,
        steps: Sequence[str],
        used: Mapping[str, Any],
        helpers: Mapping[str, Any],
    ) -> TurnRecord:
        """Commits answer, workflow (where there were steps) and turn together (R1, R11).

        A private thread leaves no workflow.
        Where the turn has been ended by someone else meanwhile, nothing is written.
        """
        workflow = None
        if steps and self.privacy(turn.thread_id) == Privacy.OPEN:
            workflow = self._workflow.draft(
                query=turn.question.content,
                steps=steps,
                answer=answer,
                success=outcome == Outcome.ANSWERED,
                thread_id=turn.thread_id,
                turn_id=turn.id,
            )
            self._workflow.store.embed([workflow], self.embedder)
        with transaction.atomic():
            if turns.get(turn.id).outcome == Outcome.RUNNING:
                message = self.write_conversational_memory(
                    answer, "assistant", turn.thread_id, {"turn": turn.id}
                )
                if workflow is not None:
                    self._workflow.store.save([workflow])
                turns.end(
                    turn.id, outcome=outcome, answer=message, steps=tuple(steps), used=used, helpers=helpers
                )
        return turns.get(turn.id)
