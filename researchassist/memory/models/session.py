"""Sessions: stretches of work of one person, over all their conversations."""

from django.db import models


class Session(models.Model):
    """Turns of one user without a pause of the idle time between them.

    `state`: "open"; "ended", and waiting to be folded into the profile; "folded". `owner` is the process
    that is folding it in now, `attempts` counts how often that failed and `error` says why the last time.
    `words` is how many the profile had after it.
    """

    user = models.CharField(max_length=64)
    state = models.CharField(
        max_length=8, choices=[(s, s) for s in ("open", "ended", "folded")], default="open", db_index=True
    )
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    owner = models.CharField(max_length=64, blank=True, default="")
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, default="")
    words = models.PositiveIntegerField(null=True)
    folded_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "session"
