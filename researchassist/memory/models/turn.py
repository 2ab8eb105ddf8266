"""Turns: one run of the harness for one question, and what it used."""

from django.db import models

from .conversational import ConversationalMemory
from .session import Session
from .thread import Thread


class Outcome(models.TextChoices):
    """How a turn stands. All but RUNNING are final."""

    RUNNING = "running"
    ANSWERED = "answered"
    CAPPED = "capped"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Turn(models.Model):
    """One turn. `used` is the manifest behind "what this answer used"; `helpers` says how each
    step after the answer went. `owner` is the process that runs it, so that a turn whose
    process died can be told from one that still runs."""

    id = models.CharField(max_length=32, primary_key=True)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="turns")
    # The key of the form that started it: one form, one turn, however often it is sent.
    key = models.CharField(max_length=64, unique=True)
    question = models.ForeignKey(ConversationalMemory, on_delete=models.CASCADE, related_name="asked_in")
    answer = models.ForeignKey(
        ConversationalMemory, on_delete=models.CASCADE, null=True, related_name="answered_in"
    )
    session = models.ForeignKey(Session, on_delete=models.SET_NULL, null=True, related_name="turns")
    outcome = models.CharField(max_length=16, choices=Outcome.choices, default=Outcome.RUNNING)
    owner = models.CharField(max_length=64)
    partial_text = models.TextField(blank=True, default="")
    error = models.TextField(blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    steps = models.JSONField(default=list)
    used = models.JSONField(default=dict)
    helpers = models.JSONField(default=dict)
    started_at = models.DateTimeField(db_index=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "turn"
        constraints = [
            models.UniqueConstraint(
                fields=["thread"], condition=models.Q(outcome="running"), name="one_running_turn_a_thread"
            )
        ]
