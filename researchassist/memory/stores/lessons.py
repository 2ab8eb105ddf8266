"""LESSON: episodes, each a workflow with what it taught; found by the likeness of a new task."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from researchassist.errors import MemoryRefused, UnknownLesson
from researchassist.memory.embedding import Embedder
from researchassist.memory.fact_records import LessonRecord
from researchassist.memory.models import Lesson, LessonState, WorkflowMemory
from researchassist.memory.sameness import says_part_of, says_the_same
from researchassist.memory.secret_text import holds_a_secret
from researchassist.memory.text import storable
from researchassist.memory.vectors import Vector

from .vector_store import VectorStore

LESSON_CHARS = 600
_TASK_CHARS = 800
_OUTCOME_CHARS = 300


class LessonStore:
    """Lessons by user. Only active ones are found."""

    def __init__(self) -> None:
        self.store = VectorStore(Lesson)

    def write(
        self,
        *,
        user: str,
        workflow_id: str,
        lesson: str,
        meta: Mapping[str, Any],
        contradicts: Collection[int],
        embedder: Embedder,
    ) -> LessonRecord:
        """Keeps what a workflow taught, and takes out the lessons it contradicts, in one step.

        Raises MemoryRefused for a lesson that is blank, a secret, or was forgotten or contradicted.
        """
        workflow = WorkflowMemory.objects.get(pk=int(workflow_id))
        text = " ".join(storable(lesson).split())[:LESSON_CHARS]
        _refuse(text, user)
        row = Lesson(
            user=user,
            workflow=workflow,
            task=workflow.query[:_TASK_CHARS],
            outcome=workflow.answer_excerpt[:_OUTCOME_CHARS],
            lesson=text,
            success=workflow.success,
            metadata=dict(meta),
        )
        row.text = f"{row.task}\n{row.outcome}\n{row.lesson}"
        self.store.embed([row], embedder)
        with transaction.atomic():
            Lesson.objects.filter(user=user, pk__in=list(contradicts), state=LessonState.ACTIVE).update(
                state=LessonState.CONTRADICTED
            )
            self.store.save([row])
        return record(row)

    def nearest(self, vector: Vector | None, user: str, k: int, least: float) -> list[LessonRecord]:
        """The `k` active lessons whose task is most like the query, none below the cosine `least`."""
        if vector is None:
            return []
        hits = self.store.search(vector, k, Q(user=user, state=LessonState.ACTIVE))
        return [record(row, cosine) for row, cosine in hits if cosine >= least]

    def all(self, user: str, states: Collection[str] = (LessonState.ACTIVE,)) -> list[LessonRecord]:
        """A user's lessons, oldest first."""
        rows = Lesson.objects.filter(user=user, state__in=list(states)).order_by("timestamp", "pk")
        return [record(row) for row in rows]

    def forget(self, user: str, lesson_id: int) -> LessonRecord:
        """Takes a lesson out and leaves it as a tombstone; raises UnknownLesson."""
        with transaction.atomic():
            row = Lesson.objects.filter(user=user, pk=lesson_id, state=LessonState.ACTIVE).first()
            if row is None:
                raise UnknownLesson(f"There is no lesson {lesson_id}.")
            row.state = LessonState.FORGOTTEN
            row.save(update_fields=["state"])
        return record(row)

    def promote(self, user: str, lesson_ids: Sequence[int], fact_id: int) -> None:
        """Notes that a fact was drawn from these, so that it happens once."""
        Lesson.objects.filter(user=user, pk__in=list(lesson_ids)).update(promoted_to=fact_id)


def _refuse(text: str, user: str) -> None:
    if not text:
        raise MemoryRefused("There is no lesson in it.")
    if holds_a_secret(text):
        raise MemoryRefused("The lesson looks as if it held a secret.")
    gone = Lesson.objects.filter(user=user).exclude(state=LessonState.ACTIVE)
    if any(says_the_same(text, one.lesson) or says_part_of(text, one.lesson) for one in gone):
        raise MemoryRefused("This lesson was forgotten or contradicted.")


def record(row: Lesson, score: float = 0.0) -> LessonRecord:
    """The lesson as a plain value."""
    return LessonRecord(
        id=row.pk,
        task=row.task,
        outcome=row.outcome,
        lesson=row.lesson,
        meta=row.metadata,
        success=row.success,
        state=row.state,
        timestamp=row.timestamp,
        promoted_to=row.promoted_to_id,
        score=score,
    )
