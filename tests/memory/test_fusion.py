import numpy as np
import pytest

from researchassist.memory.fusion import fused, scaled


def test_values_are_scaled_between_their_smallest_and_largest():
    assert scaled(np.array([0.2, 0.6, 0.4])).tolist() == pytest.approx([0, 1, 0.5])


@pytest.mark.parametrize("values", [[], [0.3], [0.3, 0.3], [np.nan, np.nan]])
def test_values_that_do_not_differ_decide_nothing(values: list):
    assert scaled(np.array(values)).tolist() == [0] * len(values)


def test_what_is_not_known_counts_as_the_smallest():
    assert scaled(np.array([np.nan, 0.5, 1.0])).tolist() == [0, 0, 1]


def test_meaning_and_words_weigh_the_same():
    scores = fused(np.array([0.9, 0.1, 0.5]), np.array([0.0, 8.0, 4.0]))
    assert scores.tolist() == pytest.approx([0.5, 0.5, 0.5])


def test_without_words_the_cosine_alone_ranks_and_the_other_way_round():
    assert np.argmax(fused(np.array([0.1, 0.9]), np.zeros(2))) == 1
    assert np.argmax(fused(np.array([np.nan, np.nan]), np.array([3.0, 1.0]))) == 0
    assert len(fused(np.zeros(0), np.zeros(0))) == 0
