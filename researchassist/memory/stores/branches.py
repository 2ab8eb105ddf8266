"""Branches of a thread: asking again from an earlier question, and going back to an earlier version.

Owns which messages are part of the conversation. Those of one parent are versions of each other, one
of them is part of it; the others, and what followed them, are superseded: kept, and left out of every
read. Messages that were superseded together carry one time, and come back together.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from researchassist.errors import TurnRefused, UnknownMessage
from researchassist.memory import clock
from researchassist.memory.models import ConversationalMemory, Outcome, SummaryMemory, Thread, Turn
from researchassist.memory.records import MessageRecord

BUSY = "An answer is still being written in this conversation. Wait for it or stop it, then do this again."
MOVED = (
    "Another version of this conversation was opened meanwhile, in another tab perhaps. "
    "Reload the page to see it; your text is still here."
)


def message(message_id: str) -> ConversationalMemory:
    """The row of a message; raises UnknownMessage."""
    row = None
    if message_id.isascii() and message_id.isdecimal() and len(message_id) < 19:
        row = ConversationalMemory.objects.filter(pk=int(message_id)).first()
    if row is None:
        raise UnknownMessage("There is no such message any more.")
    return row


def refuse_if_running(thread_id: str, sentence: str = BUSY) -> None:
    """Raises TurnRefused while a turn of the thread runs."""
    if Turn.objects.filter(thread_id=thread_id, outcome=Outcome.RUNNING).exists():
        raise TurnRefused(sentence, reason="busy")


def refuse_if_moved(thread_id: str, branch: int | None) -> None:
    """Raises TurnRefused where the thread's branch is no longer the one a page was made of."""
    if branch is not None and Thread.objects.filter(pk=thread_id).exclude(branch=branch).exists():
        raise TurnRefused(MOVED, reason="moved")


def leave(row: ConversationalMemory) -> None:
    """Supersedes a message and all that follows it, in the transaction under way.

    The message that is written next takes its place. Raises TurnRefused where it is superseded already.
    """
    if row.superseded_at is not None:
        raise TurnRefused(MOVED, reason="moved")
    _supersede_from(row)
    settle_summaries(row.thread_id)
    Thread.objects.filter(pk=row.thread_id).update(branch=F("branch") + 1)


def show(message_id: str) -> bool:
    """Makes the branch of this message the conversation; False where it is that already.

    What follows it is what followed it when it was last part of the conversation. Raises UnknownMessage,
    and TurnRefused while a turn runs.
    """
    with transaction.atomic():
        row = message(message_id)
        if row.superseded_at is None:
            return False
        refuse_if_running(row.thread_id)
        while row.superseded_at is not None:
            _come_back(_uppermost_superseded(row))
            row.refresh_from_db()
        settle_summaries(row.thread_id)
        Thread.objects.filter(pk=row.thread_id).update(branch=F("branch") + 1)
    return True


def _uppermost_superseded(row: ConversationalMemory) -> ConversationalMemory:
    """The first superseded message on the way from the thread's beginning to this one."""
    while row.parent is not None and row.parent.superseded_at is not None:
        row = row.parent
    return row


def _come_back(row: ConversationalMemory) -> None:
    """Puts a superseded message whose parent is part of the conversation in its active version's place."""
    together = ConversationalMemory.objects.filter(thread_id=row.thread_id, superseded_at=row.superseded_at)
    ids = list(together.values_list("pk", flat=True))
    followers = ConversationalMemory.objects.filter(
        thread_id=row.thread_id, parent_id=row.parent_id, superseded_at=None
    )
    if (active := followers.first()) is not None:
        _supersede_from(active)
    ConversationalMemory.objects.filter(pk__in=ids).update(superseded_at=None)


def _supersede_from(row: ConversationalMemory) -> None:
    """Marks an active message and every active one after it with one new time."""
    messages = ConversationalMemory.objects.filter(thread_id=row.thread_id)
    last = messages.filter(superseded_at__isnull=False).order_by("-superseded_at").first()
    time = clock.after(last.superseded_at if last else None)
    messages.filter(superseded_at=None, timestamp__gte=row.timestamp).update(superseded_at=time)


def settle_summaries(thread_id: str) -> None:
    """A summary stands for its messages while all of them are part of the conversation.

    One of which some were superseded no longer stands for the others: they are said word for word again,
    or condensed anew. One whose messages are all part of the conversation again stands for those that
    no other summary stands for.
    """
    rows = ConversationalMemory.objects.filter(thread_id=thread_id)
    mixed = rows.filter(superseded_at__isnull=False, summary__isnull=False).values("summary_id")
    rows.filter(superseded_at=None, summary_id__in=mixed).update(summary=None)
    active = dict(rows.filter(superseded_at=None).values_list("pk", "summary_id"))
    summaries = SummaryMemory.objects.filter(thread_id=thread_id).order_by("timestamp", "pk")
    for summary_id, metadata in summaries.values_list("summary_id", "metadata"):
        covered = metadata.get("messages", ())
        free = [pk for pk in covered if active.get(pk, "") is None]
        if free and all(pk in active for pk in covered):
            rows.filter(pk__in=free).update(summary_id=summary_id)
            active |= dict.fromkeys(free, summary_id)


def standing() -> Q:
    """The condition on summaries that none of their messages is superseded; texts without any pass."""
    left = ConversationalMemory.objects.filter(summary_id=OuterRef("summary_id"), superseded_at__isnull=False)
    return Q(~Exists(left))


def versions(messages: Sequence[MessageRecord]) -> dict[str, tuple[str, ...]]:
    """For each of these messages of one thread the ids of its versions, itself among them, oldest first."""
    if not messages:
        return {}
    parents = {message.parent_id for message in messages}
    ids = [int(parent) for parent in parents if parent is not None]
    where = Q(parent_id__in=ids) | (Q(parent=None) if None in parents else Q(pk__in=[]))
    rows = ConversationalMemory.objects.filter(where, thread_id=messages[0].thread_id, role="user")
    found: dict[str | None, list[str]] = {}
    for pk, parent_id in rows.order_by("timestamp").values_list("pk", "parent_id"):
        found.setdefault(str(parent_id) if parent_id else None, []).append(str(pk))
    return {m.id: tuple(found.get(m.parent_id, (m.id,))) for m in messages}
