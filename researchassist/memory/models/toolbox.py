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
    """One synthetic query of a tool on its own: a further way to find it. `text` is the query."""

    tool = models.ForeignKey(ToolboxMemory, on_delete=models.PROTECT, related_name="keys")

    class Meta:
        db_table = "toolbox_key"
        constraints = [models.UniqueConstraint(fields=["tool", "content_hash"], name="toolbox_key_once")]
