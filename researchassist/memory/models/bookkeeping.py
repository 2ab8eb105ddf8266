"""Small tables that keep the stores coherent: facts about the database, and what changed when.

A vector store's revision grows by one with each writing transaction; rows carry the revision
they were written at and deletions leave a tombstone, so that another process can bring its
matrix up to date by reading only what is newer than what it holds.
"""

from django.db import models


class StoreState(models.Model):
    """One fact about this database, such as the embedding model it is bound to."""

    key = models.CharField(max_length=64, primary_key=True)
    value = models.TextField()

    class Meta:
        db_table = "store_state"


class StoreRevision(models.Model):
    """The newest revision of one vector store."""

    store = models.CharField(max_length=64, primary_key=True)
    revision = models.BigIntegerField(default=0)

    class Meta:
        db_table = "store_revision"


class VectorTombstone(models.Model):
    """A vector row that was deleted, and at which revision."""

    store = models.CharField(max_length=64)
    row_id = models.BigIntegerField()
    revision = models.BigIntegerField()

    class Meta:
        db_table = "vector_tombstone"
        indexes = [models.Index(fields=["store", "revision"], name="tombstone_by_revision")]
