"""Threads: the conversations in the side list."""

from django.db import models


class Privacy(models.TextChoices):
    """What a thread leaves behind: all; nothing, though what is known of the person may be read; or
    nothing, and nothing of them is read either."""

    OPEN = ""
    PRIVATE = "private"
    CLOSED = "closed"


class Thread(models.Model):
    """One conversation. `updated_at` is the time of its latest message (UTC).

    `branch` grows by one with every change of branch, so that a form of a page that shows another
    branch can be told.
    """

    id = models.CharField(max_length=64, primary_key=True)
    title = models.CharField(max_length=200, blank=True, default="")
    # Who gave the title: "words" (its first question's), "model" (the writer model) or "person".
    titled_by = models.CharField(max_length=8, blank=True, default="")
    branch = models.PositiveIntegerField(default=0)
    sample = models.BooleanField(default=False)
    privacy = models.CharField(max_length=8, choices=Privacy.choices, blank=True, default=Privacy.OPEN)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "thread"
