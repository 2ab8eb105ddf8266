"""WORKFLOW_MEMORY: how earlier questions were worked on."""

from django.db import models

from .base import VectorRow
from .thread import Thread
from .turn import Turn


class WorkflowMemory(VectorRow):
    """One turn's tool steps in order, each with its outcome marker (R11)."""

    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, null=True, related_name="workflows")
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, null=True, related_name="workflows")
    query = models.TextField()
    steps = models.JSONField(default=list)
    answer_excerpt = models.CharField(max_length=200)
    num_steps = models.PositiveIntegerField(db_index=True)
    success = models.BooleanField()

    class Meta:
        db_table = "workflow_memory"
