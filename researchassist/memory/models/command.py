"""Commands the person gave in the composer, and files they added: what was run and what came of it."""

from django.db import models

from .thread import Thread


class CommandRun(models.Model):
    """One run of a command. It stands in its thread on the page and in no memory: no message, no context.

    `result` is what agent/commands makes of it, as JSON. `owner` is the process that runs it, so that
    a run whose process died can be told from one that still runs.
    """

    id = models.CharField(max_length=32, primary_key=True)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="command_runs")
    # The key of the form that started it: one form, one run, however often it is sent.
    key = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=32)
    argument = models.TextField(blank=True, default="")
    status = models.CharField(
        max_length=16,
        choices=[(name, name) for name in ("running", "done", "failed", "interrupted")],
        default="running",
        db_index=True,
    )
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True, default="")
    owner = models.CharField(max_length=64)
    started_at = models.DateTimeField(db_index=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "command_run"
