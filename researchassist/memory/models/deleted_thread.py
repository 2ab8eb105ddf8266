"""Threads that were deleted and can be brought back for a while."""

from django.db import models


class DeletedThread(models.Model):
    """A deleted thread, packed (see stores/deleted_threads.py); no read can find what is in it.

    Once it is erased for good only its id stays, so that a page that still shows it can be told.
    """

    id = models.CharField(max_length=64, primary_key=True)
    title = models.CharField(max_length=200, blank=True, default="")
    packed = models.BinaryField(null=True)
    deleted_at = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "deleted_thread"
