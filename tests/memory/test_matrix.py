import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from researchassist.errors import EmbeddingError
from researchassist.memory import matrix as module
from researchassist.memory.matrix import Matrix
from researchassist.memory.vectors import unit

NONE = np.zeros(0, dtype=np.int64)
NO_ROWS = np.zeros((0, 0), np.float32)


@pytest.fixture(autouse=True, scope="module")
def _small_blocks():
    """Blocks so small that every test crosses their borders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_ROWS", 16)
        patch.setattr(module, "_FIRST_ROWS", 2)
        yield


def ids(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def matrix_of(vectors, numbers=None) -> Matrix:
    matrix = Matrix()
    rows = unit(vectors)
    matrix.apply(ids=ids(*(numbers or range(1, len(rows) + 1))), vectors=rows, removed=NONE)
    return matrix


def test_an_empty_matrix_finds_nothing():
    assert Matrix().search(unit([1, 0])[0], 3) == []


def test_the_nearest_comes_first_with_its_cosine():
    found = matrix_of([[1, 0], [0, 1], [1, 1]]).search(unit([1, 0])[0], 2)
    assert [pk for pk, _ in found] == [1, 3]
    assert found[0][1] == pytest.approx(1)
    assert found[1][1] == pytest.approx(2**-0.5)


def test_ties_come_in_the_order_of_their_ids():
    matrix = matrix_of([[2, 1]] * 40, numbers=list(range(40, 0, -1)))
    assert [pk for pk, _ in matrix.search(unit([1, 0])[0], 5)] == [1, 2, 3, 4, 5]


def test_more_than_there_are_gives_all():
    assert len(matrix_of([[1, 0], [0, 1]]).search(unit([1, 0])[0], 99)) == 2


@pytest.mark.parametrize("k", [0, -1])
def test_none_asked_gives_none(k: int):
    assert matrix_of([[1, 0]]).search(unit([1, 0])[0], k) == []


def test_only_allowed_rows_are_ranked():
    matrix = matrix_of([[1, 0], [0.9, 0.1], [0, 1]])
    assert [pk for pk, _ in matrix.search(unit([1, 0])[0], 2, allowed=ids(2, 3))] == [2, 3]


def test_where_no_row_is_allowed_nothing_is_found():
    assert matrix_of([[1, 0]]).search(unit([1, 0])[0], 2, allowed=ids()) == []


def test_a_query_of_another_dimension_is_refused():
    with pytest.raises(EmbeddingError):
        matrix_of([[1, 0]]).search(unit([1, 0, 0])[0], 1)


def test_rows_of_another_dimension_are_refused_and_change_nothing():
    matrix = matrix_of([[1, 0]])
    with pytest.raises(EmbeddingError):
        matrix.apply(ids=ids(2), vectors=unit([[1, 0, 0]]), removed=NONE)
    assert matrix.search(unit([1, 0])[0], 5) == [(1, pytest.approx(1))]


@pytest.mark.parametrize("query", [[0, 0], [np.nan, 0]])
def test_a_query_without_a_direction_is_refused(query):
    with pytest.raises(EmbeddingError):
        matrix_of([[1, 0]]).search(np.array(query, dtype=np.float32), 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(1, 12), st.integers(1, 20))
def test_it_agrees_with_the_naive_formula_on_any_vectors(seed: int, n: int, d: int, k: int):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, d)) * random.uniform(0.01, 100, size=(n, 1))
    query = random.normal(size=d)
    found = matrix_of(rows).search(unit(query)[0], k)
    naive = rows @ query / (np.linalg.norm(rows, axis=1) * np.linalg.norm(query))
    assert [score for _, score in found] == pytest.approx(sorted(naive, reverse=True)[:k], abs=1e-5)
    assert all(naive[pk - 1] == pytest.approx(score, abs=1e-5) for pk, score in found)


def test_an_updated_row_is_found_by_its_new_vector_alone():
    matrix = matrix_of([[1, 0], [0, 1]])
    matrix.apply(ids=ids(1), vectors=unit([[0, -1]]), removed=NONE)
    assert len(matrix) == 2
    assert matrix.search(unit([0, -1])[0], 9)[0] == (1, pytest.approx(1))
    assert matrix.search(unit([1, 0])[0], 9)[0][1] == pytest.approx(0)


def test_a_removed_row_is_not_found():
    matrix = matrix_of([[1, 0], [0, 1]])
    matrix.apply(ids=NONE, vectors=np.zeros((0, 0), np.float32), removed=ids(1))
    assert [pk for pk, _ in matrix.search(unit([1, 0])[0], 9)] == [2]


def test_an_emptied_matrix_takes_rows_again_also_of_another_dimension():
    matrix = matrix_of([[1, 0], [0, 1]])
    matrix.apply(ids=NONE, vectors=np.zeros((0, 0), np.float32), removed=ids(1, 2))
    assert matrix.search(unit([1, 0])[0], 1) == []
    matrix.apply(ids=ids(7), vectors=unit([[1, 0, 0]]), removed=NONE)
    assert matrix.search(unit([1, 0, 0])[0], 1)[0][0] == 7


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.booleans()), max_size=200), st.integers(1, 7))
def test_growing_and_compacting_lose_and_invent_nothing(steps, batch: int):
    matrix, truth = Matrix(), {}
    for start in range(0, len(steps), batch):
        part = dict(steps[start : start + batch])
        gone = [pk for pk, keep in part.items() if not keep]
        new = [pk for pk, keep in part.items() if keep]
        rows = unit([[pk, start + 1] for pk in new]) if new else np.zeros((0, 0), np.float32)
        matrix.apply(ids=ids(*new), vectors=rows, removed=ids(*gone))
        for pk in gone:
            truth.pop(pk, None)
        truth |= dict.fromkeys(new, start + 1)
    found = dict(matrix.search(unit([1, 0])[0], 999))
    assert len(matrix) == len(truth)
    assert found == {pk: pytest.approx(pk / np.hypot(pk, y), abs=1e-5) for pk, y in truth.items()}


def test_threads_search_soundly_while_another_applies():
    matrix, done, problems = matrix_of([[1, 0]], numbers=[1]), threading.Event(), []

    def search() -> None:
        while not done.is_set():
            try:
                found = matrix.search(unit([1, 0])[0], 3)
            except EmbeddingError as error:
                problems.append(error)
                return
            if not found or found[0] != (1, pytest.approx(1)) or len({pk for pk, _ in found}) != len(found):
                problems.append(found)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(2, 600):
        removed = ids(number - 40) if number > 41 else NONE
        matrix.apply(ids=ids(number), vectors=unit([[0, 1]]), removed=removed)
    done.set()
    for thread in threads:
        thread.join()
    assert problems == []


def test_all_scores_are_those_of_the_living_and_allowed_rows():
    matrix = matrix_of([[1, 0]] * 20 + [[0, 1]] * 20)
    matrix.apply(ids=NONE, vectors=NO_ROWS, removed=ids(3, 40))
    found, scores = matrix.cosines(unit([1, 0])[0])
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == {
        pk: float(pk <= 20) for pk in range(1, 40) if pk != 3
    }
    assert matrix.cosines(unit([1, 0])[0], allowed=ids(3, 5))[0].tolist() == [5]
    assert len(Matrix().cosines(unit([1, 0])[0])[0]) == 0


def test_what_is_done_to_a_copy_is_not_seen_by_the_other():
    matrix = matrix_of([[1, 0]] * 5)
    copy = matrix.copy()
    copy.apply(ids=ids(6, 7), vectors=unit([[0, 1]] * 2), removed=ids(1))
    matrix.apply(ids=ids(8), vectors=unit([[0, 1]]), removed=ids(2))
    assert sorted(matrix.cosines(unit([1, 0])[0])[0].tolist()) == [1, 3, 4, 5, 8]
    assert sorted(copy.cosines(unit([1, 0])[0])[0].tolist()) == [2, 3, 4, 5, 6, 7]
    assert copy.search(unit([0, 1])[0], 2) == [(6, pytest.approx(1)), (7, pytest.approx(1))]


def test_growing_searching_and_deleting_need_little_more_memory_than_the_vectors(monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 1024)
    rows = unit(np.random.default_rng(3).normal(size=(500, 96)))
    tracemalloc.start()
    matrix = Matrix()
    for start in range(0, 20_000, 500):
        matrix.apply(ids=np.arange(start, start + 500), vectors=rows, removed=NONE)
    for _ in range(3):
        matrix.search(rows[0], 10)
    matrix.apply(ids=NONE, vectors=NO_ROWS, removed=np.arange(0, 20_000, 3))
    matrix.search(rows[1], 10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.3 * 20_000 * 96 * 4
