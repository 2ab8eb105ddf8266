"""Days, months, years and spans as people write them, in English or ISO. Pure; the zone is the caller's.

Owns reading them where one is asked for (`span`), and noticing them in a question (`mentions`).
"""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from researchassist.errors import UnreadableDate

_NAMES = (
    "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,"
    "september sept sep,october oct,november nov,december dec"
)
_MONTHS = {name: n for n, names in enumerate(_NAMES.split(","), 1) for name in names.split()}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_MONTH = f"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = [
    re.compile(rf"(?<![\w./-])(?:{pattern})(?![\w/-]|\.\d)", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}-(?P<month>[01]?\d)(?:-(?P<day>[0-3]?\d))?",
        rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?",
        rf"{_MONTH} {_DAY}(?:,? {_YEAR})?",
        rf"{_MONTH}(?:,?(?: of)? {_YEAR})?",
        _YEAR,
    )
]
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_UNIT = "(?P<unit>day|week|month|year)"
_EXAMPLES = "2026-05-08, May 2026, last week, 3 days ago, since March, 2025 to May 2026"


@dataclass(frozen=True)
class Mention:
    """A date as it was written; None for what was left open, as the year is in "8 May"."""

    year: int | None
    month: int | None
    day: int | None

    def periods(self, years: Iterable[int]) -> list[tuple[date, date]]:
        """What it means where the year was left open, once in each of these years: first day, day after.

        Where there is no such day in a year, as 29 February, there is none of it.
        """
        found = []
        for year in years if self.year is None else (self.year,):
            with contextlib.suppress(ValueError):
                found.append(replace(self, year=year).period(date(year, 1, 1)))
        return found

    def period(self, today: date) -> tuple[date, date]:
        """Its first day and the day after its last; without a year the latest that has begun.

        Raises ValueError where there is no such day.
        """
        year = self.year or today.year
        if self.month is None:
            return date(year, 1, 1), date(year + 1, 1, 1)
        first = date(year, self.month, self.day or 1)
        if self.year is None and first > today:
            first = date(year - 1, self.month, self.day or 1)
        return first, first + timedelta(days=1) if self.day else _next_month(first)


def mentions(text: str) -> list[Mention]:
    """The dates written out in a text, each once.

    The name of a month alone counts with a capital only: "may" and "march" are verbs as well.
    """
    found: dict[Mention, None] = {}
    for pattern in _DATES:
        for match in pattern.finditer(text):
            written = match.group()
            if not (written.isalpha() and written[0].islower()):
                found.setdefault(_mention(match))
        text = pattern.sub(lambda match: "·" * len(match.group()), text)
    return list(found)


def _mention(match: re.Match[str]) -> Mention:
    parts = {"year": None, "month": None, "day": None} | match.groupdict()
    month = parts["month"] and (_MONTHS.get(parts["month"].lower()) or int(parts["month"]))
    return Mention(
        year=int(parts["year"]) if parts["year"] else None,
        month=month or None,
        day=int(parts["day"]) if parts["day"] else None,
    )


def span(text: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The times a person means by `text`: from the first up to, not with, the second; None is open.

    `now` is aware, and its zone is the one the words are meant in. Raises UnreadableDate with
    examples where the words are not understood.
    """
    words = " ".join(text.lower().replace("–", "-").split()).strip(" .,")
    both = re.fullmatch(
        r"(?:between |from )?(.+?)(?: to | until | till | through | and | - |\.\.+)(.+)", words
    )
    open_ended = re.fullmatch(r"(since|from|after|before|until|till|up to) (.+)", words)
    today = now.date()
    try:
        if both:
            first, last = _period(both[1], today)[0], _period(both[2], today)[1]
            return (_midnight(first, now), _midnight(last, now)) if first < last else _fail(text)
        if open_ended:
            first, last = _period(open_ended[2], today)
            word = open_ended[1]
            if word in ("since", "from", "after"):
                return _midnight(last if word == "after" else first, now), None
            return None, _midnight(first if word == "before" else last, now)
        first, last = _period(words, today)
        return _midnight(first, now), _midnight(last, now)
    except (ValueError, OverflowError) as error:
        raise UnreadableDate(
            f"{text!r} is no time that is understood; write it like: {_EXAMPLES}."
        ) from error


def _fail(text: str) -> tuple[None, None]:
    raise ValueError(text)


def _midnight(day: date, now: datetime) -> datetime:
    """The beginning of a day in the zone of `now`."""
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)


def _period(words: str, today: date) -> tuple[date, date]:
    """The first day of what is meant and the day after its last. Raises ValueError."""
    words = re.sub(r"^(on|in|during|the) ", "", words)
    if words in ("today", "yesterday"):
        first = today - timedelta(days=words == "yesterday")
        return first, first + timedelta(days=1)
    if match := re.fullmatch(rf"(?:the )?(?P<which>this|last|previous) {_UNIT}", words):
        return _calendar(match["unit"], today, back=match["which"] != "this")
    if match := re.fullmatch(rf"(?:last|past) (?:(?P<count>\d+) )?{_UNIT}s?", words):
        days = _DAYS[match["unit"]] * int(match["count"] or 1)
        return today - timedelta(days=days), today + timedelta(days=1)
    if match := re.fullmatch(rf"(?P<count>\d+|an?|one|two|three) {_UNIT}s? ago", words):
        count = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}.get(match["count"]) or int(match["count"])
        return _calendar(match["unit"], today - timedelta(days=_DAYS[match["unit"]] * count))
    if match := re.fullmatch(rf"(?:last )?({'|'.join(_WEEKDAYS)})", words):
        back = (today.weekday() - _WEEKDAYS.index(match[1])) % 7 or 7
        return today - timedelta(days=back), today - timedelta(days=back - 1)
    for pattern in _DATES:
        if match := pattern.fullmatch(words):
            return _mention(match).period(today)
    raise ValueError(words)


def _calendar(unit: str, day: date, *, back: bool = False) -> tuple[date, date]:
    """The day, week (from Monday), month or year in which `day` lies, or the one before it."""
    if unit == "day":
        first = day - timedelta(days=back)
        return first, first + timedelta(days=1)
    if unit == "week":
        first = day - timedelta(days=day.weekday() + 7 * back)
        return first, first + timedelta(days=7)
    if unit == "month":
        first = (day.replace(day=1) - timedelta(days=back)).replace(day=1)
        return first, _next_month(first)
    return date(day.year - back, 1, 1), date(day.year - back + 1, 1, 1)


def _next_month(first: date) -> date:
    return (first.replace(day=1) + timedelta(days=32)).replace(day=1)
