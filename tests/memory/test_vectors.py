import numpy as np
import pytest

from researchassist.errors import EmbeddingError
from researchassist.memory.vectors import are_unit, from_bytes, to_bytes, unit


@pytest.mark.parametrize("bad", [[0, 0], [np.nan, 1], [np.inf, 1], [-np.inf, 0]])
def test_a_zero_or_non_finite_vector_is_refused(bad):
    with pytest.raises(EmbeddingError):
        unit([[1, 0], bad])


def test_vectors_become_unit_float32():
    rows = unit([[3, 4], [1e-20, 0]])
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_bytes_bring_back_the_same_vector():
    row = unit([[1, 2, 3]])[0]
    assert (from_bytes([to_bytes(row)])[0] == row).all()


def test_stored_vectors_of_different_lengths_are_refused():
    with pytest.raises(EmbeddingError):
        from_bytes([b"\0" * 8, b"\0" * 4])


def test_what_is_not_a_unit_vector_is_told():
    rows = np.array([[1, 0], [0.6, 0.8], [0, 0], [np.nan, 1], [np.inf, 0], [2, 0], [3e38, 3e38]], np.float32)
    assert are_unit(rows).tolist() == [True, True, False, False, False, False, False]
