"""LESSON: what an earlier piece of work taught, beside the workflow that it is from."""

from django.db import models

from .base import VectorRow
from .fact import Fact
from .workflow import WorkflowMemory


class LessonState(models.TextChoices):
    """Whether a lesson holds. The other two are tombstones: the same is not learned again by itself."""

    ACTIVE = "active"
    CONTRADICTED = "contradicted"
    FORGOTTEN = "forgotten"


class Lesson(VectorRow):
    """One episode: `task` and `outcome` of a workflow, and the `lesson` alone is ever recalled. What kind
    of task it was stands in `metadata`. `text`, which is embedded, is all three."""

    user = models.CharField(max_length=64)
    workflow = models.ForeignKey(WorkflowMemory, on_delete=models.SET_NULL, null=True, related_name="lessons")
    task = models.TextField()
    outcome = models.TextField(blank=True, default="")
    lesson = models.TextField()
    success = models.BooleanField()
    state = models.CharField(max_length=16, choices=LessonState.choices, default=LessonState.ACTIVE)
    # The fact about the work that was drawn from this lesson with others, so that it is drawn once.
    promoted_to = models.ForeignKey(Fact, on_delete=models.SET_NULL, null=True, related_name="lessons")

    class Meta:
        db_table = "lesson"
        indexes = [models.Index(fields=["user", "state"], name="lesson_by_user_and_state")]
