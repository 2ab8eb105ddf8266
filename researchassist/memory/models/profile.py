"""The profile: a rolling summary of the person, rewritten after each session."""

from django.db import models


class Profile(models.Model):
    """One version. The newest that was not rolled back is the profile; only the last few are kept.

    `sessions` are the ids of those that were folded in to make it.
    """

    user = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    text = models.TextField()
    words = models.PositiveIntegerField()
    sessions = models.JSONField(default=list)
    timestamp = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "profile"
        constraints = [models.UniqueConstraint(fields=["user", "number"], name="profile_version_order")]
