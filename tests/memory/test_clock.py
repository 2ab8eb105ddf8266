from datetime import UTC, datetime, timedelta

from researchassist.memory import clock

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_it_gives_aware_utc():
    assert clock.now().tzinfo is UTC


def test_it_moves_a_time_that_does_not_rise_to_just_after_the_last():
    assert clock.after(NOON, NOON - timedelta(hours=1)) == NOON + timedelta(microseconds=1)


def test_it_moves_an_equal_time_on():
    assert clock.after(NOON, NOON) > NOON


def test_it_leaves_a_later_time_alone():
    assert clock.after(NOON, NOON + timedelta(seconds=1)) == NOON + timedelta(seconds=1)
