"""The time: aware, in UTC, and strictly increasing where an order hangs on it."""

from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def after(last: datetime | None) -> datetime:
    """Now, or a microsecond after `last` where the clock stands still or was set back."""
    current = now()
    if last is not None and current <= last:
        return last + timedelta(microseconds=1)
    return current
