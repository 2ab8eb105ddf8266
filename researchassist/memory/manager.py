"""MemoryManager: the one door to memory.

Two verbs a store, write_… and read_…, named as in the specification; those of the exact stores
stand in exact.py, the person's own in personal.py, the embedding model in embedded.py. Owns the
vector stores of this process; asks no language model. Reads that become context segments give a
`Reading`; all others give records.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from researchassist.errors import UnknownDocument
from researchassist.options import Options

from . import clock
from .embedding import Embedder
from .facts import FactMemory
from .models import (
    ConversationalMemory,
    Outcome,
    Privacy,
    SummaryMemory,
    Thread,
    ToolLogMemory,
    Turn,
    WorkflowMemory,
)
from .personal import PersonalMemory
from .readings import Reading
from .records import (
    DocumentRecord,
    EntityRecord,
    MessageRecord,
    PassageRecord,
    RunningSummary,
    SummaryRecord,
    ToolRecord,
    TurnRecord,
    WorkflowRecord,
)
from .stores import turns
from .stores.entity import EntityStore
from .stores.knowledge_base import DocumentDraft, KnowledgeBase, PassageDraft, filters
from .stores.summary import SummaryStore
from .stores.toolbox import ToolboxStore
from .stores.vector_store import VectorStore
from .stores.workflow import WorkflowStore

# How long a forgotten document can be restored.
FORGOTTEN_FOR = timedelta(days=30)


class MemoryManager(FactMemory, PersonalMemory):
    """The seven stores, and threads, turns and documents around them. Threads may share one."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options, embedder)
        self._knowledge_base = KnowledgeBase()
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

    def sizes(self) -> dict[str, int]:
        """How many rows each vector store holds, by its table's name; reads the matrices in."""
        return {store.name: store.size() for store in self.vector_stores()}

    # SEMANTIC_MEMORY

    def write_knowledge_base(self, text: str, metadata: Mapping[str, Any]) -> PassageRecord:
        """Keeps one passage with its source metadata (R14); the same text is kept once."""
        return self._knowledge_base.write(text, metadata, self.embedder)

    def read_knowledge_base(
        self, query: str, k: int | None = None, where: Q | None = None
    ) -> Reading[PassageRecord]:
        """The passages nearest to the query (R2)."""
        return self._knowledge_base.read(self.query_vector(query), k or self.options.knowledge_k, where)

    def passages(self, ids: Sequence[str], *, near: str) -> tuple[PassageRecord, ...]:
        """Those passages of these ids that are still there, with their cosine to a text, nearest first."""
        where = Q(pk__in=[int(one) for one in ids])
        return self._knowledge_base.read(self.query_vector(near), len(ids), where).records

    def search_documents(
        self,
        query: str,
        k: int,
        *,
        document: str = "",
        author: str = "",
        kind: str = "",
        years: tuple[int, int] = (0, 0),
    ) -> Reading[PassageRecord]:
        """The passages nearest to the query in documents that pass the filters; 0 and "" pass all."""
        return self._knowledge_base.read(
            self.query_vector(query), k, filters(document=document, author=author, kind=kind, years=years)
        )

    def write_document(self, draft: DocumentDraft, passages: Sequence[PassageDraft]) -> DocumentRecord:
        """Keeps a document with its passages in one step, in place of an earlier version of it."""
        return self.write_documents([(draft, passages)])[0]

    def write_documents(
        self, drafts: Sequence[tuple[DocumentDraft, Sequence[PassageDraft]]]
    ) -> list[DocumentRecord]:
        """Keeps several documents in one step, embedded together; no source may stand twice."""
        return self._knowledge_base.write_documents(drafts, self.embedder)

    def documents(
        self,
        *,
        source: str | None = None,
        sources: Collection[str] | None = None,
        file_hash: str | None = None,
        sample: bool | None = None,
    ) -> list[DocumentRecord]:
        """Documents in memory, newest first; forgotten ones are not among them."""
        where = Q()
        if source is not None:
            where &= Q(source=source)
        if sources is not None:
            where &= Q(source__in=list(sources))
        if file_hash is not None:
            where &= Q(file_hash=file_hash)
        if sample is not None:
            where &= Q(sample=sample)
        return self._knowledge_base.documents(where)

    def document_titles(self, limit: int) -> list[str]:
        """Titles of at most `limit` documents that have text: own ones before samples, newest first."""
        return self._knowledge_base.titles(limit)

    def document(self, document_id: int) -> DocumentRecord:
        """One document; raises UnknownDocument where there is none or it is forgotten."""
        for found in self._knowledge_base.documents(Q(pk=document_id)):
            return found
        raise UnknownDocument(f"There is no document {document_id}.")

    def delete_document(self, document_id: int) -> None:
        """Takes a document and its passages out in one step, for good."""
        self._knowledge_base.delete_document(document_id)

    def forget_document(self, document_id: int) -> DocumentRecord:
        """Takes a document and its passages out in one step; raises UnknownDocument.

        It can be restored until another is forgotten, or for 30 days.
        """
        self._knowledge_base.drop_forgotten(clock.now() - FORGOTTEN_FOR)
        return self._knowledge_base.forget_document(document_id)

    def restore_document(self, document_id: int) -> DocumentRecord:
        """Puts a forgotten document back as it was; raises UnknownDocument."""
        self._knowledge_base.drop_forgotten(clock.now() - FORGOTTEN_FOR)
        return self._knowledge_base.restore_document(document_id)

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

    def delete_thread(self, thread_id: str) -> None:
        """Deletes a thread with its messages, turns, tool logs, summaries and workflows.

        Documents and entities stay. Deleting one that is gone already does nothing.
        """
        with transaction.atomic():
            Turn.objects.filter(thread_id=thread_id).update(answer=None)
            ToolLogMemory.objects.filter(thread_id=thread_id).delete()
            workflows = WorkflowMemory.objects.filter(thread_id=thread_id)
            self._workflow.store.delete(workflows.values_list("pk", flat=True))
            Turn.objects.filter(thread_id=thread_id).delete()
            ConversationalMemory.objects.filter(thread_id=thread_id).delete()
            summaries = SummaryMemory.objects.filter(thread_id=thread_id)
            self._summary.store.delete(summaries.values_list("pk", flat=True))
            Thread.objects.filter(pk=thread_id).delete()

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
