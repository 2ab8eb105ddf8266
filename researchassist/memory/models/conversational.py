"""CONVERSATIONAL_MEMORY: every message ever said, by thread and in order."""

from django.db import models

from .summary import SummaryMemory
from .thread import Thread


class ConversationalMemory(models.Model):
    """One message. Timestamps are strictly increasing within a thread, whatever the clock does."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    role = models.CharField(max_length=16, choices=[("user", "user"), ("assistant", "assistant")])
    content = models.TextField()
    timestamp = models.DateTimeField(db_index=True)
    metadata = models.JSONField(default=dict)
    # What it follows; None where it begins the thread. Messages of one parent are versions of each other.
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="followers")
    # When its branch was left for another one; None while it is part of the conversation. Messages that
    # were left together have the same time, and come back together.
    superseded_at = models.DateTimeField(null=True, default=None)
    # The summary that stands for this message now (R9); the message itself stays. What a summary was
    # made from is in the summary's metadata and never changes (see stores/branches.py).
    summary = models.ForeignKey(
        SummaryMemory,
        to_field="summary_id",
        db_column="summary_id",
        null=True,
        default=None,
        on_delete=models.PROTECT,
        related_name="messages",
    )

    class Meta:
        db_table = "conversational_memory"
        constraints = [
            models.UniqueConstraint(fields=["thread", "timestamp"], name="message_order_in_thread"),
            models.CheckConstraint(condition=models.Q(role__in=["user", "assistant"]), name="message_role"),
        ]
