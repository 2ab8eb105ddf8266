"""Core memory: a short text about the person that stands in every turn, and every write to it."""

from django.db import models

from .conversational import ConversationalMemory


class CoreMemory(models.Model):
    """One write: the whole text after it, and what it rests on. The newest row is core memory.

    Rows are never changed: an undo is a row too, which names the one it undoes. `quote` is the span of
    the person's `message` that a write by the model rests on.
    """

    user = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    operation = models.CharField(
        max_length=16, choices=[(o, o) for o in ("append", "replace", "edit", "undo")]
    )
    author = models.CharField(max_length=8, choices=[(a, a) for a in ("model", "person")])
    quote = models.TextField(blank=True, default="")
    message = models.ForeignKey(
        ConversationalMemory, on_delete=models.SET_NULL, null=True, related_name="core_writes"
    )
    undoes = models.PositiveIntegerField(null=True)
    tokens_before = models.PositiveIntegerField()
    tokens_after = models.PositiveIntegerField()
    timestamp = models.DateTimeField()

    class Meta:
        db_table = "core_memory"
        constraints = [models.UniqueConstraint(fields=["user", "number"], name="core_write_order")]
