"""The numbers are those of seed 001."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from researchassist.memory.scoring import (
    Weights,
    best,
    importance_score,
    recency_score,
    relevance_score,
    retrieval_score,
    scores,
)
from researchassist.memory.vectors import unit

NOW = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
EQUAL = Weights(1.0, 1.0, 1.0)


@pytest.mark.parametrize(("hours", "left"), [(0, 1.0), (1, 0.995), (2, 0.990025), (24, 0.887), (168, 0.431)])
def test_recency_falls_by_half_a_percent_an_hour(hours: int, left: float):
    assert recency_score(NOW, NOW - timedelta(hours=hours)) == pytest.approx(left, abs=5e-4)


def test_the_first_hours_are_exact():
    assert recency_score(NOW, NOW) == 1.0
    assert recency_score(NOW, NOW - timedelta(hours=1)) == pytest.approx(0.995, abs=1e-12)
    assert recency_score(NOW, NOW - timedelta(hours=2)) == pytest.approx(0.990025, abs=1e-12)


def test_a_clock_that_was_set_back_makes_nothing_fresher_than_now():
    assert recency_score(NOW, NOW + timedelta(days=3)) == 1.0


def test_another_rate_forgets_faster():
    assert recency_score(NOW, NOW - timedelta(hours=2), 0.9) == pytest.approx(0.81)


def test_importance_is_a_share_of_ten():
    assert [importance_score(one) for one in (1, 5, 10)] == [0.1, 0.5, 1.0]
    assert [importance_score(one) for one in (-3, 0, 99)] == [0.0, 0.0, 1.0]


def test_relevance_is_the_cosine_and_never_negative():
    x, y = unit([[1, 0, 0]])[0], unit([[0, 1, 0]])[0]
    assert relevance_score(x, x) == 1.0
    assert relevance_score(x, y) == 0.0
    assert relevance_score(x, -x) == 0.0
    assert relevance_score(x, unit([[1, 1, 0]])[0]) == pytest.approx(0.7071, abs=1e-4)


def test_what_is_about_it_fresh_and_weighty_wins_over_either_alone():
    old = retrieval_score(0.9, 0.10, 0.3, EQUAL)
    off_topic = retrieval_score(0.1, 1.00, 0.2, EQUAL)
    both = retrieval_score(0.8, 0.90, 0.7, EQUAL)
    assert (old, off_topic, both) == pytest.approx((1.3, 1.3, 2.4))


def test_weights_decide_what_counts():
    assert retrieval_score(0.5, 0.5, 0.5, Weights(2.0, 0.0, 1.0)) == pytest.approx(1.5)


def _scored(hours: list[float], importance: list[float], fading: list[bool], relevance: list[float]):
    return scores(
        relevance=np.array(relevance),
        hours=np.array(hours),
        importance=np.array(importance),
        fading=np.array(fading),
        weights=EQUAL,
    )


def test_many_at_once_score_as_one_by_one():
    totals, *_ = _scored([0.0, 30.0, 5000.0], [1, 10, 4], [True, True, True], [0.2, -0.4, 0.9])
    singly = [
        retrieval_score(max(r, 0.0), recency_score(NOW, NOW - timedelta(hours=h)), importance_score(i), EQUAL)
        for r, h, i in [(0.2, 0.0, 1), (-0.4, 30.0, 10), (0.9, 5000.0, 4)]
    ]
    assert totals.tolist() == pytest.approx(singly)


def test_a_preference_of_two_years_ago_scores_as_on_its_first_day():
    two_years = 2 * 365 * 24.0
    totals, _, recent, _ = _scored([0.0, two_years, two_years], [7, 7, 7], [False, False, True], [0.6] * 3)
    assert totals[0] == totals[1]
    assert recent.tolist() == [1.0, 1.0, pytest.approx(0.0, abs=1e-30)]


def test_the_trivial_and_old_stands_behind_the_weighty_and_fresh_of_the_same_words():
    totals, *_ = _scored([1e6 / 3600, 10 / 3600], [1, 8], [True, False], [1.0, 1.0])
    assert best(totals, np.array([1, 2]), 1) == [1]


def test_ties_go_by_id_and_fewer_come_where_there_are_fewer():
    assert best(np.array([1.0, 2.0, 2.0]), np.array([9, 8, 7]), 2) == [2, 1]
    assert best(np.array([1.0]), np.array([4]), 5) == [0]
    assert best(np.array([]), np.array([], dtype=np.int64), 5) == []
