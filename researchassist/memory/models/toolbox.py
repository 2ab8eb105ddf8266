"""TOOLBOX_MEMORY: the tools as the model may find them."""

from django.db import models

from .base import VectorRow


class ToolboxMemory(VectorRow):
    """One tool; `text` is name, description, signature, what its parameters mean, and synthetic queries
    (R5)."""

    name = models.CharField(max_length=64, unique=True)
    description = models.TextField()
    signature = models.TextField()
    parameters = models.JSONField()
    queries = models.JSONField(default=list)
    augmented = models.BooleanField(default=False)
    source_hash = models.CharField(max_length=64)

    class Meta:
        db_table = "toolbox_memory"


class ToolboxKey(VectorRow):
    """A further way to find a tool: `text` is one of its synthetic queries or a clause of its description."""

    tool = models.ForeignKey(ToolboxMemory, on_delete=models.PROTECT, related_name="keys")

    class Meta:
        db_table = "toolbox_key"
        constraints = [models.UniqueConstraint(fields=["tool", "content_hash"], name="toolbox_key_once")]
