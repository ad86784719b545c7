from __future__ import annotations

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.measures.intervals.bootstrap import bootstrap, bootstrap_means, resample_counts
from textkin.measures.metrics.binary_pairs import accuracy_by_weight
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight


def test_every_resample_draws_as_many_units_as_there_are() -> None:
    rng = np.random.default_rng(0)
    counts = np.concatenate(list(resample_counts(rng, units=50, resamples=3000, rows=9_000_000)), axis=1)
    assert counts.shape == (50, 3000)
    assert set(counts.sum(axis=0)) == {50.0}
    assert counts.mean() == 1
    assert counts.var() == pytest.approx(1 - 1 / 50, abs=0.02)  # of a binomial (50, 1/50)


@pytest.mark.slow
def test_equals_resampling_by_hand() -> None:
    values = np.random.default_rng(1).gamma(0.5, size=80)
    rng = np.random.default_rng(2)
    means = [rng.choice(values, len(values)).mean() for _ in range(20_000)]
    (found,) = bootstrap_means(values[None], resamples=20_000, seed=3, confidence=0.9)
    assert (found.value, found.n) == (values.mean(), 80)
    assert [found.low, found.high] == pytest.approx(np.quantile(means, [0.05, 0.95]), abs=0.01)


def test_the_seed_decides_and_measures_share_resamples() -> None:
    values = np.random.default_rng(0).random((2, 30))
    assert bootstrap_means(values[:1], seed=5) == bootstrap_means(values[:1], seed=5)
    assert bootstrap_means(values[:1], seed=5) != bootstrap_means(values[:1], seed=6)
    together = bootstrap_means(values, seed=5)
    for row, found in zip(values, together, strict=True):
        (alone,) = bootstrap_means(row[None], seed=5)
        assert [found.low, found.high] == pytest.approx([alone.low, alone.high])


@pytest.mark.slow
def test_components_are_resampled_whole() -> None:
    # 40 components of 25 equal pairs carry no more information than 40 pairs.
    rng = np.random.default_rng(0)
    few = rng.integers(0, 2, 40).astype(float)
    labels, clusters = np.repeat(few, 25), np.repeat(np.arange(40) * 7 - 3, 25)
    measure = accuracy_by_weight(0.5)
    whole = bootstrap(measure(labels, np.ones(1000)), clusters, resamples=4000)
    single = bootstrap(measure(few, np.ones(40)), np.arange(40), resamples=4000)
    loose = bootstrap(measure(labels, np.ones(1000)), np.arange(1000), resamples=4000)
    assert (whole.n, single.n, loose.n) == (40, 40, 1000)
    assert whole == single
    assert whole.high - whole.low > 4 * (loose.high - loose.low)


def test_an_undefined_figure_is_an_error_and_undefined_resamples_are_left_out() -> None:
    scores = np.array([0.9, 0.8, 0.1])
    with pytest.raises(DataError, match="undefined"):
        bootstrap(average_precision_by_weight(np.zeros(3), scores), np.arange(3))
    found = bootstrap(average_precision_by_weight(np.array([1.0, 0.0, 0.0]), scores), np.arange(3))
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0 < found.low < 0.5  # three pairs say next to nothing
    with pytest.raises(DataError, match="nothing to resample"):
        bootstrap_means(np.empty((1, 0)))
    with pytest.raises(DataError, match="nothing to resample"):
        bootstrap(average_precision_by_weight(np.empty(0), np.empty(0)), np.empty(0, dtype=np.int64))


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    samples = rng.beta(0.5, 0.5, size=(400, 100))  # like average precision: much at 0 and at 1; true mean 0.5
    found = [
        bootstrap_means(sample[None], resamples=300, seed=index)[0] for index, sample in enumerate(samples)
    ]
    covered = np.mean([one.low <= 0.5 <= one.high for one in found])
    assert 0.915 <= covered <= 0.975
