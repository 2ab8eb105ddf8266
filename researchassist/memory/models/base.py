"""What every vector row has; the fields of one store stand in that store's own file."""

from django.db import models


class VectorRow(models.Model):
    """A row that is found by meaning.

    `text` is exactly what was embedded; `embedding` is float32 of unit length as bytes;
    `revision` is the store's revision at which the row was last written (see bookkeeping.py).
    Vector rows are deleted through their store only, never by a cascade: a cascade would leave
    no tombstone, and other processes would go on finding the row.
    """

    text = models.TextField()
    metadata = models.JSONField(default=dict)
    embedding = models.BinaryField()
    embedding_model = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64, db_index=True)
    revision = models.BigIntegerField(db_index=True)
    timestamp = models.DateTimeField(db_index=True)

    class Meta:
        abstract = True
