from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.reference.resampling import repeated
from textkin.measures.metrics.correlation import pearson_by_weight, spearman, spearman_by_weight
from textkin.measures.metrics.weighted import single

VALUES = st.sampled_from([0.0, 1.0, 1.5, 2.0, 4.0, 5.0])
ROWS = st.lists(st.tuples(VALUES, VALUES, st.integers(0, 3)), min_size=3, max_size=25)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(ROWS, st.sampled_from([1.0, 1e-6, 1e6]), st.sampled_from([0.0, 1e3]))
def test_equals_scipy_on_repeated_pairs(rows: list, scale: float, shift: float) -> None:
    labels, scores, weights = np.array(rows, dtype=float).T
    scores = scores * scale + shift
    many = repeated(labels, weights), repeated(scores, weights)
    for prepared, plain in ((pearson_by_weight, stats.pearsonr), (spearman_by_weight, stats.spearmanr)):
        value = single(prepared, labels, scores, weights)
        assert prepared(labels, scores)(np.stack([weights, weights], axis=1)) == pytest.approx(
            [value, value], nan_ok=True
        )
        if any(len(set(side)) < 2 for side in many):
            assert np.isnan(value)
        else:
            assert value == pytest.approx(plain(*many).statistic, abs=1e-7)


def test_many_rounds_are_as_good_as_one() -> None:
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(0, 4, 50).astype(float), rng.normal(size=50)
    weights = rng.random((50, 9000))  # more than one block of rounds; shares of pairs too
    figures = spearman_by_weight(labels, scores)(weights)
    for round_ in (0, 5999, 6000, 8999):
        assert figures[round_] == pytest.approx(spearman(labels, scores, weights=weights[:, round_]))
    assert spearman_by_weight(labels, scores)(np.ones((50, 1)))[0] == pytest.approx(
        stats.spearmanr(labels, scores).statistic
    )


def test_rounding_leaves_no_correlation_beyond_one() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values, weights = rng.normal(size=7), rng.random((7, 40))
        for prepare in (pearson_by_weight, spearman_by_weight):
            up, down = prepare(values, 2 * values + 1)(weights), prepare(values, -values)(weights)
            assert up.max() <= 1 and up.min() > 1 - 1e-9
            assert down.min() >= -1 and down.max() < -1 + 1e-9


def test_no_correlation_where_one_side_is_constant() -> None:
    shares = np.full((3, 1), 0.1)
    assert np.isnan(spearman_by_weight(np.ones(3), np.arange(3.0))(shares))
    assert np.isnan(spearman_by_weight(np.arange(3.0), np.arange(3.0))(np.array([[0.3], [0.0], [0.0]])))
    assert spearman_by_weight(np.arange(3.0), np.arange(3.0))(shares) == 1
