"""Common properties of metrics of weighted pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.measures.metrics.weighted import (
    check_pairs,
    in_blocks,
    quotient,
    running_sums,
    same_pairs,
    single,
    sums_by,
)


@given(st.integers(0, 70), st.integers(1, 5), st.integers(0, 9))
def test_running_sums_are_those_of_numpy(groups, rounds, seed):
    values = np.random.default_rng(seed).integers(0, 9, (groups, rounds)).astype(float)
    assert running_sums(values).tolist() == np.cumsum(values, axis=0).tolist()


@given(st.integers(0, 30), st.integers(1, 6), st.integers(0, 99), st.booleans())
def test_sums_by_group_are_those_of_a_loop(pairs, groups, seed, chosen):
    random = np.random.default_rng(seed)
    group = random.integers(0, groups + 2, pairs)  # two after the last are dropped
    weights = random.integers(0, 9, (pairs, 3)).astype(float)
    kept = random.random(pairs) < 0.5 if chosen else None
    expected = np.zeros((groups, 3))
    for place, number in enumerate(group):
        if number < groups and (kept is None or kept[place]):
            expected[number] += weights[place]
    assert sums_by(group, groups, kept=kept)(weights).tolist() == expected.tolist()


@pytest.mark.parametrize("rounds", [0, 1, 15, 16, 17, 100])
def test_blocks_change_nothing(rounds):
    weights = np.random.default_rng(0).random((40, rounds))
    widths = []

    def figure(block):
        widths.append(block.shape[1])
        return block.sum(axis=0)

    found = in_blocks(figure, rows=300_000)(weights)
    np.testing.assert_allclose(found, weights.sum(axis=0))
    assert widths == [16] * (rounds // 16) + [rounds % 16] * (rounds % 16 > 0)


def test_narrow_arrays_come_in_wide_blocks():
    widths = []

    def figure(block):
        widths.append(block.shape[1])
        return block.sum(axis=0)

    in_blocks(figure, rows=1000)(np.ones((2, 700)))
    assert widths == [300, 300, 100]


def test_no_weights_weigh_all_alike():
    def mean(labels, scores):
        return lambda weights: labels @ weights / weights.sum(axis=0)

    labels, scores = np.array([1.0, 0, 0, 1]), np.zeros(4)
    assert single(mean, labels, scores, None) == 0.5
    assert single(mean, labels, scores, np.array([3.0, 1, 0, 0])) == 0.75


def test_pairs_that_do_not_belong_together_are_refused():
    check_pairs(np.zeros(2), np.ones(2))
    with pytest.raises(DataError) as error:
        check_pairs(np.zeros(2), np.zeros(3))
    assert error.value.value == ((2,), (3,))
    with pytest.raises(DataError) as error:
        check_pairs(np.zeros((2, 1)), np.zeros((2, 1)))
    assert error.value.value == ((2, 1), (2, 1))
    with pytest.raises(DataError) as error:
        check_pairs(np.array([0, np.nan]), np.zeros(2))
    assert (error.value.params, error.value.value) == (("label",), 1)
    with pytest.raises(DataError) as error:
        check_pairs(np.zeros(1), np.array([np.nan]))
    assert (error.value.params, error.value.value) == (("score",), 0)


def test_labels_are_0_or_1():
    assert same_pairs(np.array([0.0, 1, 1])).tolist() == [False, True, True]
    with pytest.raises(DataError) as error:
        same_pairs(np.array([1, 0.5]))
    assert (error.value.params, error.value.value) == (("label",), 0.5)


def test_a_quotient_of_nothing_is_undefined():
    found = quotient(np.array([1.0, 0, 3]), np.array([2.0, 0, 4]))
    np.testing.assert_array_equal(found, [0.5, np.nan, 0.75])
