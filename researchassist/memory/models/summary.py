"""SUMMARY_MEMORY: condensed text that opens back into its originals."""

from django.db import models

from .base import VectorRow
from .thread import Thread


class SummaryMemory(VectorRow):
    """One summary; `full_content` is the exact transcript or text it was made from (R8, R9)."""

    summary_id = models.CharField(max_length=8, unique=True)
    summary = models.TextField()
    description = models.CharField(max_length=300)
    full_content = models.TextField()
    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, null=True, related_name="summaries")

    class Meta:
        db_table = "summary_memory"
