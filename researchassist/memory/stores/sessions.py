"""SESSION: which turns belong together, and which sessions wait to be folded into the profile."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, QuerySet

from researchassist.memory import clock
from researchassist.memory.models import Outcome, Privacy, Session, Turn
from researchassist.memory.records import MessageRecord, SessionRecord

from . import conversational


def join(user: str, turn_id: str, idle: timedelta) -> None:
    """Puts a turn into the user's open session, or into a new one where that has been idle too long."""
    with transaction.atomic():
        end_idle(user, idle)
        session = _of(user).filter(state="open").last()
        if session is None:
            session = Session.objects.create(user=user, started_at=clock.now())
        Turn.objects.filter(pk=turn_id).update(session=session)


def end_idle(user: str, idle: timedelta) -> None:
    """Ends the open sessions that have been idle for longer than `idle`; a running turn keeps one open."""
    with transaction.atomic():
        for session in _of(user).filter(state="open"):
            turns = Turn.objects.filter(session=session)
            if turns.filter(outcome=Outcome.RUNNING).exists():
                continue
            last = max(_times(turns), default=session.started_at)
            if clock.now() - last > idle:
                session.state, session.ended_at = "ended", last
                session.save(update_fields=["state", "ended_at"])


def has_news(user: str) -> bool:
    """Whether a session ended that nobody tried to fold in yet."""
    return _of(user).filter(state="ended", attempts=0).exists()


def claim(user: str, owner: str, is_alive: Callable[[str], bool]) -> list[SessionRecord]:
    """Takes all sessions that wait, for the process `owner` to fold in; none where another process has
    them in hand, or where all of them were tried before and no session has ended since."""
    with transaction.atomic():
        waiting = list(_of(user).filter(state="ended"))
        if any(one.owner and is_alive(one.owner) for one in waiting):
            return []
        if all(one.attempts for one in waiting):
            return []
        Session.objects.filter(pk__in=[one.pk for one in waiting]).update(owner=owner)
    return [record(one) for one in waiting]


def release(ids: Collection[int], error: str) -> None:
    """Gives claimed sessions back: they wait for the next session to end."""
    for row in Session.objects.filter(pk__in=ids, state="ended"):
        row.owner, row.error, row.attempts = "", error, row.attempts + 1
        row.save(update_fields=["owner", "error", "attempts"])


def fold(ids: Collection[int], words: int) -> None:
    """Marks claimed sessions as part of the profile, which now has so many words."""
    Session.objects.filter(pk__in=ids).update(
        state="folded", owner="", error="", words=words, folded_at=clock.now()
    )


def every(user: str) -> list[SessionRecord]:
    """All sessions of a user, oldest first."""
    return [record(one) for one in _of(user)]


def messages(session_id: int) -> list[MessageRecord]:
    """What was said in a session, in the order it was said, over all conversations; each message once.

    Superseded messages and those of private threads are not among them.
    """
    rows = Turn.objects.select_related("question", "answer").filter(
        session_id=session_id, question__superseded_at=None, thread__privacy=Privacy.OPEN
    )
    found = [message for row in rows for message in (row.question, row.answer) if message is not None]
    once = {message.pk: conversational.record(message) for message in found}
    return sorted(once.values(), key=lambda message: (message.timestamp, int(message.id)))


def record(row: Session) -> SessionRecord:
    """The session as a plain value."""
    return SessionRecord(
        id=row.pk,
        state=row.state,
        started_at=row.started_at,
        ended_at=row.ended_at,
        attempts=row.attempts,
        error=row.error,
        words=row.words,
        folded_at=row.folded_at,
    )


def _of(user: str) -> QuerySet[Session]:
    return Session.objects.filter(user=user).order_by("started_at", "pk")


def _times(turns: QuerySet[Turn]) -> list[datetime]:
    ends = turns.aggregate(started=Max("started_at"), finished=Max("finished_at"))
    return [time for time in ends.values() if time is not None]
