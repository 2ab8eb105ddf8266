"""What messages are found by when they are searched by meaning."""

from django.db import models

from .base import VectorRow
from .conversational import ConversationalMemory


class MessageVector(VectorRow):
    """One part of a message as it is embedded: date, speaker and text. A long message has several."""

    message = models.ForeignKey(ConversationalMemory, on_delete=models.PROTECT, related_name="vectors")
    part = models.PositiveSmallIntegerField()

    class Meta:
        db_table = "message_vector"
        constraints = [models.UniqueConstraint(fields=["message", "part"], name="message_part_once")]
