"""Threads: the conversations in the side list."""

from django.db import models


class Thread(models.Model):
    """One conversation. `updated_at` is the time of its latest message (UTC)."""

    id = models.CharField(max_length=64, primary_key=True)
    title = models.CharField(max_length=200, blank=True, default="")
    sample = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "thread"
