import numpy as np
import pytest

from tests.reference import distilled as oracle
from textkin.text.distilled_similarities import (
    ANCHORS,
    NEAR,
    RATE,
    TAKEN,
    TEMPERATURE,
    disagreement,
    fit_to_similarities,
)

pytestmark = pytest.mark.torch


def drawn(rows: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def some_texts(count: int, seed: int, tokens: int = 30) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.integers(0, tokens, size=size).astype(np.int32) for size in random.integers(1, 9, count)]


def nearest(targets: np.ndarray, count: int = NEAR) -> np.ndarray:
    cosines = unit(targets) @ unit(targets).T
    np.fill_diagonal(cosines, -2)
    return np.argsort(-cosines, axis=1)[:, :count]


@pytest.mark.parametrize("seed", range(3))
def test_the_disagreement_equals_a_plain_loop_and_its_gradient_differences(seed):
    vectors, teacher = 3 * drawn(9, 5, seed), unit(drawn(9, 7, seed + 10))
    found, gradient = disagreement(vectors, teacher)
    assert found == pytest.approx(oracle.disagreement(vectors, teacher, TEMPERATURE), rel=1e-4)
    step = 1e-5
    for place in np.ndindex(*vectors.shape):
        moved = [vectors.astype(np.float64) for _ in range(2)]
        moved[0][place] += step
        moved[1][place] -= step
        up, down = (oracle.disagreement(one, teacher, TEMPERATURE) for one in moved)
        assert gradient[place] == pytest.approx((up - down) / (2 * step), rel=2e-3, abs=2e-4)


def test_equal_similarities_leave_nothing_to_learn():
    teacher = unit(drawn(6, 4, 0))
    found, gradient = disagreement(5 * teacher, teacher)
    assert found == pytest.approx(0, abs=1e-5)
    np.testing.assert_allclose(gradient, 0, atol=1e-5)


def test_texts_do_not_drift_towards_one_direction():
    """Attention weights alone would not show it."""
    teacher = unit(drawn(8, 12, 0))
    drifted = np.hstack([teacher, np.ones((8, 1), np.float32)])
    found, gradient = disagreement(drifted, teacher)
    assert found > 40 and (gradient[:, -1] > 0).all()


def test_half_of_the_first_step_equals_that_of_torch():
    table, targets, ids = 7 * drawn(30, 6, 1), drawn(20, 9, 2), some_texts(20, 3)
    found = fit_to_similarities(table, ids, targets, nearest(targets), epochs=1)
    wanted = oracle.one_step(table, ids, targets, temperature=TEMPERATURE, rate=RATE)
    assert TAKEN == 0.5
    np.testing.assert_allclose(found, (table + wanted) / 2, atol=1e-4)
    assert np.abs(found - table).max() > 1e-3


def test_texts_resemble_each_other_more_as_for_the_teacher():
    texts = 3 * ANCHORS + 5
    table, targets, ids = drawn(60, 16, 1), drawn(texts, 24, 2), some_texts(texts, 3, tokens=50)
    ids[4] = ids[4][:0]
    targets[:, 0] += 2
    before, told = table.copy(), []
    near = nearest(targets)
    near[9, 2:] = -1
    found = fit_to_similarities(table, ids, targets, near, epochs=8, advance=told.append)
    again = fit_to_similarities(table, ids, targets, near, epochs=8)
    other = fit_to_similarities(table, ids, targets, near, epochs=8, seed=1)
    assert found.dtype == np.float32 and np.array_equal(found, again) and not np.array_equal(found, other)
    assert np.array_equal(table, before)
    np.testing.assert_allclose(found[50:], table[50:], rtol=1e-6)  # in no text
    assert told == [ANCHORS, ANCHORS, ANCHORS, 4] * 8

    def distance(rows: np.ndarray) -> float:
        known = [text for text in range(texts) if len(ids[text])]
        sums = np.stack([rows[ids[text]].sum(axis=0) for text in known])
        return disagreement(sums, unit(targets[known]))[0]

    assert distance(found) < 0.98 * distance(table)


@pytest.mark.parametrize("ids", [[], [np.array([], np.int32)] * 3, [np.array([1], np.int32)]])
def test_a_text_alone_teaches_nothing(ids):
    table = drawn(4, 3, 0)
    near = np.full((len(ids), 2), -1)
    found = fit_to_similarities(table, ids, drawn(len(ids), 5, 1), near, epochs=2)
    np.testing.assert_allclose(found, table, rtol=1e-6)


def test_tokens_without_a_vector_alone_are_left_out():
    table, targets = drawn(5, 3, 0), drawn(6, 4, 1)
    table[4] = 0
    ids = [np.array(row, np.int32) for row in ([0, 1], [1, 2], [2, 3], [4], [0, 3], [4, 4])]
    found = fit_to_similarities(table, ids, targets, nearest(targets, 3), epochs=3)
    assert np.isfinite(found).all()
    assert not found[4].any() and not np.array_equal(found[:4], table[:4])
