"""ENTITY_MEMORY: people, places and systems that were spoken of."""

from django.db import models

from .base import VectorRow


class EntityMemory(VectorRow):
    """One entity. `name` keeps its first spelling; `name_key` is what spellings are merged by."""

    name = models.CharField(max_length=200)
    name_key = models.CharField(max_length=200)
    type = models.CharField(max_length=16)
    description = models.TextField(blank=True, default="")
    mentions = models.PositiveIntegerField(default=1)

    class Meta:
        db_table = "entity_memory"
        constraints = [
            models.UniqueConstraint(fields=["name_key", "type"], name="entity_once"),
            models.CheckConstraint(
                condition=models.Q(type__in=["PERSON", "PLACE", "SYSTEM", "UNKNOWN"]), name="entity_type"
            ),
        ]
