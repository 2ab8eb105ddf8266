"""Documents: what passages belong to."""

from django.db import models


class Document(models.Model):
    """One source in memory. `source` names where it came from and is unique.

    A document and its passages are written in one transaction, so no search sees half of one.
    `state`: "ready"; "partial" where something of it could not be read, "failed" where nothing could
    (it then has no passages); `warning` says what or why. A forgotten document has `forgotten_at` and,
    in `forgotten`, what its passages are restored from; they themselves are gone.
    """

    source = models.CharField(max_length=1000, unique=True)
    kind = models.CharField(max_length=32)
    title = models.CharField(max_length=500)
    authors = models.JSONField(default=list)
    published = models.CharField(max_length=32, blank=True, default="")
    url = models.CharField(max_length=2000, blank=True, default="")
    version = models.CharField(max_length=32, blank=True, default="")
    file_hash = models.CharField(max_length=64, db_index=True)
    pages = models.PositiveIntegerField(default=0)
    identifiers = models.JSONField(default=dict)
    state = models.CharField(
        max_length=16, choices=[("ready", "ready"), ("partial", "partial"), ("failed", "failed")]
    )
    warning = models.TextField(blank=True, default="")
    sample = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(db_index=True)
    forgotten_at = models.DateTimeField(null=True, db_index=True)
    forgotten = models.BinaryField(null=True)

    class Meta:
        db_table = "document"
