"""The time: aware, in UTC, and strictly increasing where an order hangs on it."""

from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def after(last: datetime | None, at: datetime | None = None) -> datetime:
    """`at`, or now; a microsecond after `last` where that is not later than it."""
    current = at or now()
    if last is not None and current <= last:
        return last + timedelta(microseconds=1)
    return current
