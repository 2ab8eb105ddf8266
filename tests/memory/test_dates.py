from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from researchassist.errors import UnreadableDate
from researchassist.memory.dates import Mention, mentions, span

# A Wednesday.
NOW = datetime(2026, 7, 15, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("2026-05-08", "2026-05-08", "2026-05-09"), ("2026-05", "2026-05-01", "2026-06-01"),
        ("2025", "2025-01-01", "2026-01-01"), ("8 May 2026", "2026-05-08", "2026-05-09"),
        ("May 8th, 2026", "2026-05-08", "2026-05-09"), ("in May", "2026-05-01", "2026-06-01"),
        ("December", "2025-12-01", "2026-01-01"), ("3rd of September", "2025-09-03", "2025-09-04"),
        ("today", "2026-07-15", "2026-07-16"), ("Yesterday", "2026-07-14", "2026-07-15"),
        ("this week", "2026-07-13", "2026-07-20"), ("last week", "2026-07-06", "2026-07-13"),
        ("last month", "2026-06-01", "2026-07-01"), ("last year", "2025-01-01", "2026-01-01"),
        ("past week", "2026-07-08", "2026-07-16"), ("last 3 days", "2026-07-12", "2026-07-16"),
        ("2 days ago", "2026-07-13", "2026-07-14"), ("a week ago", "2026-07-06", "2026-07-13"),
        ("on Monday", "2026-07-13", "2026-07-14"), ("last wednesday", "2026-07-08", "2026-07-09"),
        ("since March", "2026-03-01", None), ("after 2026-05-08", "2026-05-09", None),
        ("before May 2026", None, "2026-05-01"), ("until yesterday", None, "2026-07-15"),
        ("2025 to May 2026", "2025-01-01", "2026-06-01"),
        ("2026-05-01..2026-05-03", "2026-05-01", "2026-05-04"),
        ("between 1 May and 3 May", "2026-05-01", "2026-05-04"),
    ],
)  # fmt: skip
def test_a_span_is_understood(words: str, first: str | None, last: str | None):
    def midnight(day: str | None) -> datetime | None:
        return datetime.fromisoformat(day).replace(tzinfo=NOW.tzinfo) if day else None

    assert span(words, NOW) == (midnight(first), midnight(last))


@pytest.mark.parametrize(
    "words", ["soon", "", "2026-13-01", "31 February", "May to March 2020", "to", "9999"]
)
def test_what_is_not_understood_is_said_with_examples(words: str):
    with pytest.raises(UnreadableDate, match="write it like"):
        span(words, NOW)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What did I say on 8 May 2023, or in June?", [Mention(2023, 5, 8), Mention(None, 6, None)]),
        ("Notes of 2024-02-03 and October 2022", [Mention(2024, 2, 3), Mention(2022, 10, None)]),
        ("It may march in 2310.08560, version 2.2019", []),
        ("papers since 2019 by May 3rd", [Mention(None, 5, 3), Mention(2019, None, None)]),
    ],
)
def test_dates_in_a_question_are_noticed_and_other_words_are_not(text: str, found: list[Mention]):
    assert mentions(text) == found


def test_a_mention_without_a_year_is_meant_in_each_year_that_has_it():
    assert Mention(None, 2, 29).periods(range(2023, 2026)) == [(date(2024, 2, 29), date(2024, 3, 1))]
    assert Mention(None, 12, None).periods([2023]) == [(date(2023, 12, 1), date(2024, 1, 1))]
    assert Mention(2023, None, None).periods([]) == [(date(2023, 1, 1), date(2024, 1, 1))]
