"""FACT: what is known of the person and their work, with all that was ever done to it."""

from django.db import models

from .base import VectorRow
from .conversational import ConversationalMemory
from .turn import Turn


class FactKind(models.TextChoices):
    """What sort of memory a fact is: only episodes fade."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class FactState(models.TextChoices):
    """Whether a fact holds. One that was forgotten is a tombstone: nothing brings it back by itself."""

    ACTIVE = "active"
    REPLACED = "replaced"
    FORGOTTEN = "forgotten"


class Fact(VectorRow):
    """One fact. `quote` is the span of the person's message it rests on; `key` is what repeats of it
    are known by; `last_accessed` is when it was told or last recalled, `uses` how often that was.
    `sources` are the ids of what it was drawn from, where it was (facts, or lessons about the work)."""

    user = models.CharField(max_length=64)
    key = models.CharField(max_length=400)
    kind = models.CharField(max_length=16, choices=FactKind.choices)
    importance = models.PositiveSmallIntegerField()
    subject = models.CharField(max_length=80)
    attribute = models.CharField(max_length=16)
    quote = models.TextField(blank=True, default="")
    message = models.ForeignKey(
        ConversationalMemory, on_delete=models.SET_NULL, null=True, related_name="facts"
    )
    sources = models.JSONField(default=list)
    # The fact that was drawn from this one with others (reflection), so that it is drawn once.
    promoted_to = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="drawn_from")
    state = models.CharField(max_length=16, choices=FactState.choices, default=FactState.ACTIVE)
    last_accessed = models.DateTimeField()
    uses = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "fact"
        indexes = [models.Index(fields=["user", "state"], name="fact_by_user_and_state")]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "key"], condition=models.Q(state="active"), name="active_fact_once"
            ),
            models.CheckConstraint(
                condition=models.Q(importance__gte=1, importance__lte=10), name="fact_importance"
            ),
        ]


class FactOperation(models.TextChoices):
    """What was done. The first four are the writer model's; the others are the person's."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"
    FORGET = "FORGET"
    # A tombstone is lifted because the person says the same again with /remember.
    LIFT = "LIFT"
    UNDO = "UNDO"


class FactChange(models.Model):
    """One operation on one fact, for good: `before` and `after` are the fact's own fields, empty where
    it was not there. Changes of one `batch` were made together and are undone together."""

    user = models.CharField(max_length=64)
    batch = models.CharField(max_length=32, db_index=True)
    operation = models.CharField(max_length=8, choices=FactOperation.choices)
    # Who decided: writer, person, reflection, import.
    by = models.CharField(max_length=16)
    candidate = models.TextField(blank=True, default="")
    # The fact it was done to, or that was found to say the same already.
    fact = models.ForeignKey(Fact, on_delete=models.PROTECT, null=True, related_name="changes")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=200, blank=True, default="")
    turn = models.ForeignKey(Turn, on_delete=models.SET_NULL, null=True, related_name="fact_changes")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    undo_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="undoings")

    class Meta:
        db_table = "fact_change"
        indexes = [models.Index(fields=["user", "undone_at"], name="fact_change_by_user")]
