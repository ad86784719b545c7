from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score

from tests.reference import resampling
from tests.reference.resampling import exact_p, exact_set_p, repeated
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.intervals.paired_tests import (
    compare_scores,
    compare_shares,
    holm,
    least_p,
    paired_randomisation,
    smallest_difference,
)
from textkin.measures.metrics.binary_pairs import accuracy_by_weight
from textkin.measures.metrics.correlation import spearman_by_weight
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight

AP = average_precision_by_weight


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, -0.3, 0.7]), min_size=1, max_size=9))
def test_p_equals_counting_all_sign_patterns(differences: list[float]) -> None:
    a = np.array(differences)
    found = paired_randomisation(a, np.zeros(len(a)), rounds=4000, resamples=50)
    assert found.p == pytest.approx(exact_p(differences), abs=0.04)
    assert found.value == pytest.approx(a.mean())


def test_plus_one_rule() -> None:
    a = np.ones(200)
    found = paired_randomisation(a, np.zeros(200), rounds=99)
    assert found.p == 1 / 100
    assert (found.value, found.low, found.high, found.standard_error, found.n) == (1, 1, 1, 0, 200)
    assert paired_randomisation(a, a, rounds=99).p == 1


def test_equals_scipy() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.random(12) + 0.08, rng.random(12)
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,  # all 4,096 of them, so that nothing is drawn
        vectorized=True,
    )
    assert paired_randomisation(a, b).p == pytest.approx(theirs.pvalue, abs=0.015)


def pairs(seed: int, n: int, *, gain: float = 0.0, seeds: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(float)
    shared = labels + rng.normal(size=n)
    a = (1 + gain) * shared + rng.normal(size=(seeds, n))
    b = shared + rng.normal(size=n)
    return labels, np.round(a.squeeze(), 1), np.round(b, 1), np.sort(rng.integers(0, 2 * n // 3, n))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_set_level_p_equals_counting_all_swaps(seed: int) -> None:
    labels, a, b, _ = pairs(seed, 14)
    labels[:2] = [0, 1]
    a = np.round(a / 2)  # few distinct scores: their rank among B's depends on ties
    clusters = np.arange(14) // 2 + 100
    found = compare_scores(labels, a, b, clusters, measure=AP, rounds=3000, resamples=50)
    wanted = exact_set_p(labels.tolist(), a.tolist(), b.tolist(), clusters.tolist(), average_precision_score)
    assert found.p == pytest.approx(wanted, abs=0.04)
    assert found.value == pytest.approx(
        average_precision_score(labels, a) - average_precision_score(labels, b)
    )
    assert found.n == 7


def test_scales_of_the_scores_do_not_matter() -> None:
    labels, a, b, clusters = pairs(0, 60)
    once = compare_scores(labels, a, b, clusters, measure=AP, rounds=200, resamples=20)
    assert compare_scores(labels, a, 7 + 1e-3 * b, clusters, measure=AP, rounds=200, resamples=20) == once
    back = compare_scores(labels, b, a, clusters, measure=AP, rounds=200, resamples=20)
    assert (back.value, back.p) == pytest.approx((-once.value, once.p))


def plain_spearman(labels: np.ndarray, scores: np.ndarray, /) -> ByWeight:
    """A metric only computed by scipy, round by round."""

    def figure(weights: np.ndarray) -> np.ndarray:
        return np.array(
            [stats.spearmanr(repeated(labels, one), repeated(scores, one)).statistic for one in weights.T]
        )

    return figure


@pytest.mark.slow
@pytest.mark.parametrize("digits", [0, 1, 9])  # few different scores, some, no two alike
@pytest.mark.parametrize("seeds", [1, 3])
def test_ranks_are_made_anew_in_every_round(digits: int, seeds: int) -> None:
    rng = np.random.default_rng(digits)
    labels = rng.integers(0, 5, 60).astype(float)
    a = np.round(labels + 2 * rng.normal(size=(seeds, 60)), digits)
    b = np.round(labels + 3 * rng.normal(size=60), digits)
    clusters = np.sort(rng.integers(0, 45, 60))
    fast, slow = (
        compare_scores(labels, a, b, clusters, measure=measure, rounds=50, resamples=20)
        for measure in (spearman_by_weight, plain_spearman)
    )
    assert fast.p == slow.p
    for name in ("value", "low", "high", "standard_error", "n"):
        assert getattr(fast, name) == pytest.approx(getattr(slow, name), rel=1e-9)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 1.5, 4.0])] * 3, st.integers(0, 4)), min_size=2))
def test_swapped_ranks_equal_two_weightings(rows: list) -> None:
    labels, a, b, units = np.array(rows, dtype=float).T
    units = np.unique(units, return_inverse=True)[1]
    swapped = np.random.default_rng(0).integers(0, 2, (units.max() + 1, 40)).astype(float)
    joint = spearman_by_weight(np.tile(labels, 2), np.concatenate((a, b)))
    taken = np.concatenate((1 - swapped[units], swapped[units]))
    change = spearman_by_weight.by_swap(labels, a, b, units)(swapped)
    assert change == pytest.approx(joint(taken) - joint(1 - taken), abs=1e-12, nan_ok=True)


def test_several_seeds_are_averaged() -> None:
    labels, a, b, clusters = pairs(1, 80, seeds=3)
    found = compare_scores(labels, a, b, clusters, measure=AP, rounds=300, resamples=200)
    singles = [compare_scores(labels, row, b, clusters, measure=AP, rounds=1, resamples=200) for row in a]
    assert found.value == pytest.approx(np.mean([one.value for one in singles]))
    assert found.low < found.value < found.high
    with pytest.raises(DataError) as error:
        compare_scores(labels, a, np.stack([b, b]), clusters, measure=AP)
    assert (error.value.params, error.value.value) == (("seeds",), (3, 2))


def test_other_measures() -> None:
    labels, a, b, clusters = pairs(2, 300, gain=3.0)
    graded = compare_scores(labels, a, b, clusters, measure=spearman_by_weight, rounds=300, resamples=100)
    assert graded.value == pytest.approx(
        stats.spearmanr(labels, a).statistic - stats.spearmanr(labels, b).statistic
    )
    decisions = compare_scores(
        labels, labels == 1, b > 0.5, clusters, measure=accuracy_by_weight(0.5), rounds=300, resamples=100
    )
    assert decisions.value == pytest.approx(1 - np.mean((b > 0.5) == labels))
    assert decisions.p == pytest.approx(1 / 301)


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_compared_as_decisions_are(seed: int) -> None:
    labels, a, b, _ = pairs(seed, 14)
    clusters = np.arange(14) // 2 + 100
    right = [(side > 0.5) == labels for side in (a, b)]
    found = compare_shares(*(side.astype(float) for side in right), clusters, rounds=4000, resamples=60)
    slow = compare_scores(
        np.ones(14), *right, clusters, measure=accuracy_by_weight(0.5), rounds=4000, resamples=60
    )
    assert found.p == pytest.approx(slow.p, abs=0.04)
    gains = (right[0].astype(int) - right[1].astype(int)).reshape(7, 2).sum(axis=1)
    assert found.p == pytest.approx(exact_p(gains.tolist()), abs=0.04)
    for name in ("value", "low", "high", "standard_error", "n"):
        assert getattr(found, name) == pytest.approx(getattr(slow, name))


def test_components_of_unequal_size_weigh_by_their_pairs() -> None:
    clusters = np.array([0, 0, 0, 1])
    a, b = np.array([1.0, 0.5, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])
    found = compare_shares(a, b, clusters, rounds=99, resamples=400)
    assert found.value == pytest.approx(a.mean() - b.mean())
    # A resample has the first component twice, once or not at all: two groups say next to nothing.
    assert found.standard_error >= np.std([0, 0.125, 0.125, 0.5 / 3], ddof=1)
    assert found.low < 0 < found.value < found.high
    with pytest.raises(DataError) as error:
        compare_shares(a, b[:-1], clusters)
    assert error.value.value == ((4,), (3,))


def test_refuses_what_can_not_be_compared() -> None:
    labels, a, b, clusters = pairs(3, 20)
    with pytest.raises(DataError) as error:
        compare_scores(labels, a[:-1], b, clusters, measure=AP)
    assert error.value.value == ((19,), (20,))
    with pytest.raises(DataError, match="undefined"):
        compare_scores(np.zeros(20), a, b, clusters, measure=AP)
    with pytest.raises(DataError) as error:
        paired_randomisation(a, b[:-1])
    assert error.value.value == ((20,), (19,))


@pytest.mark.slow
def test_equal_systems_differ_about_one_time_in_twenty() -> None:
    rng = np.random.default_rng(0)
    p_values = [
        paired_randomisation(*rng.beta(0.5, 0.5, size=(2, 40)), rounds=199, resamples=10, seed=index).p
        for index in range(400)
    ]
    assert 0.025 <= np.mean(np.array(p_values) <= 0.05) <= 0.08
    set_level = []
    for index in range(150):
        labels, a, b, clusters = pairs(index, 60)
        set_level.append(
            compare_scores(labels, a, b, clusters, measure=AP, rounds=199, resamples=10, seed=index).p
        )
    assert 0.01 <= np.mean(np.array(set_level) <= 0.05) <= 0.1
    assert 0.4 <= np.mean(np.array(set_level) <= 0.5) <= 0.6


@pytest.mark.slow
def test_paired_intervals_cover_the_truth() -> None:
    # Equal systems: the true difference is zero.
    covered = []
    for index in range(150):
        labels, a, b, clusters = pairs(index, 150)
        found = compare_scores(labels, a, b, clusters, measure=AP, rounds=1, resamples=200, seed=index)
        covered.append(found.low <= 0 <= found.high)
    assert 0.88 <= np.mean(covered) <= 0.99


def test_standard_error_is_that_of_the_mean_difference() -> None:
    a, b = np.random.default_rng(0).random((2, 400))
    found = paired_randomisation(a, b, rounds=1, resamples=4000)
    assert found.standard_error == pytest.approx(stats.sem(a - b), rel=0.05)


def test_an_interval_ends_where_no_difference_can_lie() -> None:
    free = paired_randomisation(np.array([1.0, 0.9, -0.9]), np.array([-0.1, -0.2, -0.3]), rounds=20)
    assert free.high > 1 > -1 > free.low
    cut = free.within(1.0)
    assert (cut.low, cut.high) == (-1, 1)
    assert (cut.value, cut.p, cut.standard_error) == (free.value, free.p, free.standard_error)
    assert free.within(9.0) == free
    one = paired_randomisation(np.array([1.0]), np.array([0.0]), rounds=20)
    assert one.within(1.0).high == np.inf


@pytest.mark.parametrize(("value", "low", "high"), [(0.0, -1.0, 1.0), (0.6, -1.6, 0.4), (1.0, -2.0, 0.0)])
def test_units_that_all_agree_prove_little_if_they_are_few(value: float, low: float, high: float) -> None:
    for units in (9, 1000):
        found = paired_randomisation(np.full(units, value), np.zeros(units), rounds=20).within(1.0)
        square = stats.t.ppf(0.975, units - 1) ** 2
        others = square / (units + square)  # Wilson's upper limit of none out of so many
        assert found.value == pytest.approx(value)
        assert (found.low, found.high) == pytest.approx((value + others * low, value + others * high))


def test_a_difference_of_shares_is_one_at_most():
    few = np.array([0, 1, 2])
    found = compare_shares(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0]), few, rounds=50)
    assert found.value == pytest.approx(2 / 3)
    assert -1.0 <= found.low < found.value < found.high == 1.0


@given(st.lists(st.floats(0, 1), max_size=12))
def test_equals_the_plain_rule(p_values: list[float]) -> None:
    assert holm(np.array(p_values)).tolist() == pytest.approx(resampling.holm(p_values))


def test_example() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_it_is_found_four_times_in_five() -> None:
    assert smallest_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
    rng = np.random.default_rng(0)
    difference = smallest_difference(1 / np.sqrt(100))
    samples = rng.normal(difference, 1, size=(300, 100))
    found = [
        paired_randomisation(sample, np.zeros(100), rounds=199, resamples=2, seed=index).p <= 0.05
        for index, sample in enumerate(samples)
    ]
    assert 0.73 <= np.mean(found) <= 0.87


@pytest.mark.parametrize(
    ("rounds", "units", "least"), [(999, 100, 0.001), (99, 4, 0.125), (10**6, 5, 0.0625), (9, 1, 1.0)]
)
def test_no_p_is_smaller_than_rounds_and_units_allow(rounds: int, units: int, least: float) -> None:
    assert least_p(rounds, units) == least


@pytest.mark.parametrize(("rounds", "units"), [(19, 30), (4000, 4)])
def test_the_smallest_p_is_reached_where_all_units_agree(rounds: int, units: int) -> None:
    better = paired_randomisation(np.ones(units), np.zeros(units), rounds=rounds, resamples=2, seed=0).p
    assert better >= least_p(rounds, units)
    assert better == pytest.approx(least_p(rounds, units), rel=0.15)


def test_a_stricter_level_and_more_power_want_a_larger_difference() -> None:
    assert smallest_difference(0.5) == pytest.approx(smallest_difference(1.0) / 2)
    assert smallest_difference(1.0, level=0.01) == pytest.approx(2.575829 + 0.841621, abs=1e-5)
    assert smallest_difference(1.0, power=0.9) == pytest.approx(1.959964 + 1.281552, abs=1e-5)
