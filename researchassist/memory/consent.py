"""Whether anything may be remembered of the person, and recalled: their switch, and a thread's privacy."""

from .models import Privacy, StoreState, Turn
from .stores import threads

_OFF = "personal_memory_off"


def is_on(user: str) -> bool:
    """Whether personal memory is used at all; it is, until the person turns it off."""
    return not StoreState.objects.filter(key=f"{_OFF}:{user}", value="yes").exists()


def turn(user: str, *, on: bool) -> None:
    """Turns remembering and recalling on or off; what is remembered stays."""
    StoreState.objects.update_or_create(key=f"{_OFF}:{user}", defaults={"value": "no" if on else "yes"})


def may_recall(user: str, thread_id: str) -> bool:
    """Whether a turn of this thread may be given what is known of the person."""
    return threads.privacy(thread_id) != Privacy.CLOSED and is_on(user)


def may_remember(user: str, thread_id: str) -> bool:
    """Whether what is said in this thread may be remembered of the person."""
    return threads.privacy(thread_id) == Privacy.OPEN and is_on(user)


def turn_may_teach(user: str, turn_id: str) -> bool:
    """Whether what was said in a turn may still be remembered: it is there, is part of its conversation,
    and was not erased from memory since."""
    row = Turn.objects.select_related("question").filter(pk=turn_id).first()
    if row is None or row.question.superseded_at is not None:
        return False
    return row.helpers.get("facts", {}).get("status") != "skipped" and may_remember(user, row.thread_id)
