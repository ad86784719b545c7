from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, t

from textkin.data.protocols import PairMeasure
from textkin.measures.intervals.bootstrap import bootstrap
from textkin.measures.intervals.paired_tests import compare_scores
from textkin.measures.intervals.standard_errors import effective_units, limits, spread, standard_error
from textkin.measures.metrics.binary_pairs import accuracy_by_weight, f1_by_weight
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight

_Floats = NDArray[np.float64]
MEASURES: dict[str, PairMeasure] = {
    "AP": average_precision_by_weight,
    "F1": f1_by_weight(0.6),
    "accuracy": accuracy_by_weight(0.6),
}


def drawn(rng: np.random.Generator, groups: int) -> tuple[_Floats, _Floats, _Floats, NDArray[np.int64]]:
    """Labels, two systems' scores and groups of unequal size, with labels and scores correlated in groups."""
    member = np.repeat(np.arange(groups), 1 + rng.geometric(0.12, groups))
    labels = (rng.random(len(member)) < rng.beta(1.5, 2.5, groups)[member]).astype(np.float64)
    shared = 0.6 * rng.normal(size=(3, groups))[:, member]
    one, other = (1.2 * labels + 0.7 * (shared[0] + side) for side in shared[1:])
    noise = rng.normal(size=(2, len(member)))
    return labels, one + noise[0], other + noise[1], member


@pytest.mark.slow
@pytest.mark.parametrize("groups", [10, 25])
def test_intervals_hold_with_few_groups(groups: int) -> None:
    rng = np.random.default_rng(3)
    labels, scores, _, _ = drawn(rng, 20_000)
    alike = np.ones((len(labels), 1))
    truth = {name: float(of(labels, scores)(alike)[0]) for name, of in MEASURES.items()}
    held: dict[str, list[bool]] = {name: [] for name in MEASURES}
    for _ in range(250):
        labels, scores, _, member = drawn(rng, groups)
        for name, of in MEASURES.items():
            found = bootstrap(of(labels, scores), member, resamples=120)
            held[name].append(found.low <= truth[name] <= found.high)
    # The percentiles of before held in 83 to 90 %; 250 samples of 95 % give 0.92 or more in 98 of 100 cases.
    assert min(float(np.mean(one)) for one in held.values()) >= 0.92


@pytest.mark.slow
def test_a_true_zero_is_seldom_excluded_with_few_groups() -> None:
    rng = np.random.default_rng(4)
    excluded = []
    for _ in range(200):
        labels, one, other, member = drawn(rng, 12)
        found = compare_scores(
            labels, one, other, member, measure=average_precision_by_weight, rounds=9, resamples=120
        )
        excluded.append(not found.low <= 0 <= found.high)
    assert np.mean(excluded) <= 0.07


@pytest.mark.parametrize(("yes", "judged"), [(1, 9), (37, 200)])
def test_a_share_of_single_pairs_has_wilsons_limits(yes: int, judged: int) -> None:
    share = yes / judged
    error = np.sqrt(share * (1 - share) / judged)
    # Enough units that Student's quantile equals the normal one.
    normal = limits(share, error, units=1e9)
    expected = binomtest(yes, judged).proportion_ci(method="wilson")
    assert normal == pytest.approx((expected.low, expected.high))
    few = limits(share, error, units=judged)
    assert few[0] < normal[0] < normal[1] < few[1]


def test_a_difference_has_students_limits() -> None:
    half = t.ppf(0.975, 11) * 0.02
    assert limits(0.1, 0.02, units=12, ends=None) == pytest.approx((0.1 - half, 0.1 + half))


def test_limits_keep_to_the_ends_of_a_figure() -> None:
    for value in (-1.0, -0.98, 0.0, 0.99, 1.0):
        low, high = limits(value, 0.1 * (1 - abs(value)), units=8, ends=(-1.0, 1.0))
        assert -1 <= low <= value <= high <= 1
        assert low < high
    nothing = limits(1.0, 0.0, units=9)
    assert nothing == pytest.approx((9 / (9 + t.ppf(0.975, 8) ** 2), 1.0))


def test_the_spread_makes_up_for_what_resamples_lack() -> None:
    draws = np.array([0.1, 0.4, np.nan, 0.2, np.inf, 0.6])
    expected = np.array([0.1, 0.4, 0.2, 0.6]).std(ddof=1) * np.sqrt(5 / 4)
    assert spread(draws, 5) == pytest.approx(expected)
    assert spread(draws[:2], 2) == pytest.approx(draws[:2].std(ddof=1) * np.sqrt(2))
    assert spread(draws, 1) == spread(draws[1:3], 5) == 0.0


def test_one_unit_says_nothing() -> None:
    assert limits(0.7, 0.0, units=1) == (0.0, 1.0)
    assert limits(0.7, 0.0, units=1, ends=None) == (-np.inf, np.inf)


@pytest.mark.parametrize("value", [1 / 3, 0.2, 0.1, 0.5])
@pytest.mark.parametrize("units", [2, 3, 10])
def test_units_that_agree_prove_little_whatever_their_mean_rounds_to(value: float, units: int) -> None:
    draws = np.array([np.full(units, value)[[*range(one), 0]].mean() for one in range(1, units)] * 20)
    error = spread(draws, units)
    assert limits(value, error, units=units) == limits(value, 0.0, units=units)
    assert limits(value, 0.0, units=units)[1] - value > 0.1


def test_unequal_sizes_are_worth_fewer() -> None:
    assert effective_units(np.repeat(np.arange(12), 5)) == pytest.approx(12)
    assert effective_units(np.repeat([0, 1, 2], [98, 1, 1])) == pytest.approx(100**2 / (98**2 + 2))


def test_the_error_of_a_mean_is_the_textbooks() -> None:
    values = np.random.default_rng(0).integers(0, 2, 30).astype(np.float64)

    def mean(weights: _Floats) -> _Floats:
        return np.asarray(values @ weights / weights.sum(axis=0))

    units = np.arange(30)
    none = np.full(50, np.nan)  # without draws the jackknife alone, which is exact for a mean
    found = standard_error(mean, none, units, 30)
    assert found.value == pytest.approx(values.std(ddof=1) / np.sqrt(30))
    assert found.units == pytest.approx(30)  # no heavier tails than normal ones: all count


@pytest.mark.parametrize("heavy", [1, 6])
def test_a_few_units_that_count_for_much_make_the_error_unsure(heavy: int) -> None:
    """The oracle: the spread of sample variances of these units between samples."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=80)
    values[:heavy] += 9

    def mean(weights: _Floats) -> _Floats:
        return np.asarray(values @ weights / weights.sum(axis=0))

    units = np.arange(80)
    found = standard_error(mean, np.full(50, np.nan), units, 80)
    variances = rng.choice(values, size=(40_000, 80)).var(axis=1, ddof=1)
    degrees = 2 * variances.mean() ** 2 / variances.var()
    assert found.units - 1 == pytest.approx(degrees, rel=0.05)
    assert degrees < 40
    fewer = bootstrap(mean, units, ends=(-50, 50), resamples=200)
    low, high = limits(fewer.value, found.value, units=80, ends=(-50, 50))
    assert fewer.low < low < high < fewer.high


def test_units_of_unequal_size_count_as_fewer_at_most() -> None:
    labels, scores, _, member = drawn(np.random.default_rng(0), 10)
    figure = average_precision_by_weight(labels, scores)
    found = standard_error(figure, np.full(5, np.nan), member, 10)
    assert 1 < found.units <= effective_units(member)
    assert standard_error(figure, np.full(5, np.nan), member, 1).units == effective_units(member)
