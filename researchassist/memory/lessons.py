"""The part of MemoryManager that holds episodes: what earlier work taught, beside how it was done."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from researchassist.options import Options

from . import clock
from .embedding import Embedder
from .fact_records import LessonRecord
from .facts import FactMemory
from .models import LessonState, WorkflowMemory
from .stores import deleted_threads, personal_rows
from .stores.lessons import LessonStore
from .stores.vector_store import VectorStore


class LessonMemory(FactMemory):
    """LESSON: a workflow, its outcome, and the one thing to know the next time."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options, embedder)
        self._lessons = LessonStore()

    def personal_stores(self) -> Sequence[VectorStore[Any]]:
        """The stores about the person and their work that are searched by meaning."""
        return (*super().personal_stores(), self._lessons.store)

    # All personal memory at once

    def has_personal_memory(self) -> bool:
        """Whether anything is or was remembered of the person."""
        return personal_rows.has_any(self.options.user)

    def personal_rows(self) -> dict[str, list[dict[str, Any]]]:
        """Facts of every state, their history, lessons, core memory and profile, as plain values by table."""
        return personal_rows.take_out(self.options.user)

    def restore_personal_rows(self, rows: Mapping[str, list[dict[str, Any]]]) -> None:
        """Puts such rows into an empty personal memory; see personal_rows.put_in for what it raises."""
        stores = personal_rows.Stores(self._facts.store, self._lessons.store)
        personal_rows.put_in(self.options.user, rows, stores, self.embedder)

    def erase_personal_memory(self) -> dict[str, int]:
        """Deletes all of it for good, history and all; conversations and documents stay.

        Those conversations that were deleted and could be brought back are erased: they hold of it what
        their answers used.
        """
        stores = personal_rows.Stores(self._facts.store, self._lessons.store)
        gone = personal_rows.erase(self.options.user, stores)
        gone["deleted conversations"] = deleted_threads.erase(before=clock.now())
        personal_rows.compact()
        return gone

    # LESSON

    def write_lesson(
        self,
        workflow_id: str,
        lesson: str,
        meta: Mapping[str, Any] | None = None,
        contradicts: Collection[int] = (),
    ) -> LessonRecord:
        """Keeps what a workflow taught; raises MemoryRefused, see LessonStore.write."""
        return self._lessons.write(
            user=self.options.user,
            workflow_id=workflow_id,
            lesson=lesson,
            meta=meta or {},
            contradicts=contradicts,
            embedder=self.embedder,
        )

    def recall_lessons(self, task: str, k: int | None = None) -> list[LessonRecord]:
        """The lessons of the episodes most like a task, best first."""
        options = self.options
        return self._lessons.nearest(
            self.query_vector(task), options.user, k or options.lessons_k, options.lesson_relevance
        )

    def lessons(self, states: Collection[str] = (LessonState.ACTIVE,)) -> list[LessonRecord]:
        """All lessons, oldest first."""
        return self._lessons.all(self.options.user, states)

    def forget_lesson(self, lesson_id: int) -> LessonRecord:
        """Takes a lesson out; the same is not learned again. Raises UnknownLesson."""
        return self._lessons.forget(self.options.user, lesson_id)

    def promote_lessons(self, lesson_ids: Sequence[int], fact_id: int) -> None:
        """Notes that a fact about the work was drawn from these."""
        self._lessons.promote(self.options.user, lesson_ids, fact_id)

    def workflow_of_turn(self, turn_id: str) -> str | None:
        """The id of the workflow a turn left, if it did."""
        found = WorkflowMemory.objects.filter(turn_id=turn_id).values_list("pk", flat=True).first()
        return None if found is None else str(found)
