from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from textkin.base.errors import DataError
from textkin.measures.metrics.calibration import (
    Binning,
    brier,
    calibration_error_by_weight,
    expected_calibration_error,
    reliability,
)

ROWS = st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_equals_scikit_learn(rows: list) -> None:
    labels, probabilities = np.array(rows, dtype=float).T
    if len(set(labels)) == 2:
        assert brier(labels, probabilities) == pytest.approx(brier_score_loss(labels, probabilities))
    found = reliability(labels, probabilities, bins=5, binning=Binning.WIDTH)
    assert sum(one.pairs for one in found) == len(rows)
    assert all(one.low <= one.predicted + 1e-12 and one.predicted <= one.high + 1e-12 for one in found)
    inner = probabilities[~np.isin(probabilities, np.arange(6) / 5)]
    if len(inner) == len(probabilities):  # scikit-learn closes its bins on the other side
        observed, predicted = calibration_curve(labels, probabilities, n_bins=5, strategy="uniform")
        assert [one.observed for one in found] == pytest.approx(list(observed))
        assert [one.predicted for one in found] == pytest.approx(list(predicted))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 12))
def test_bins_of_equal_mass(rows: list, bins: int) -> None:
    labels, probabilities = np.array(rows, dtype=float).T
    found = reliability(labels, probabilities, bins=bins)
    assert sum(one.pairs for one in found) == len(rows)
    assert sum(one.pairs * one.observed for one in found) == pytest.approx(labels.sum())
    for before, after in pairwise(found):
        assert before.high < after.low  # equal probabilities share a bin
    if len(set(probabilities)) == len(rows):
        assert max(one.pairs for one in found) - len(rows) // bins <= 1


def test_expected_calibration_error() -> None:
    labels = np.array([0.0, 1.0, 1.0, 1.0])
    probabilities = np.array([0.1, 0.1, 0.9, 0.9])
    for binning in Binning:
        error = expected_calibration_error(labels, probabilities, bins=2, binning=binning)
        assert error == pytest.approx((0.4 + 0.1) / 2)
    assert expected_calibration_error(labels, labels) == 0


def test_refuses_scores() -> None:
    for wrong in ([1.5, 0.5], [0.5, -0.1], [1.1, 1.2]):
        with pytest.raises(DataError, match="between 0 and 1"):
            brier(np.array([1.0, 0.0]), np.array(wrong))
    assert brier(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1
    with pytest.raises(DataError, match="no pairs"):
        brier(np.empty(0), np.empty(0))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from(Binning), st.integers(1, 12))
def test_the_error_by_weight_is_the_error(rows: list, binning: Binning, bins: int) -> None:
    labels, probabilities = np.array(rows, dtype=float).T
    figure = calibration_error_by_weight(labels, probabilities, bins=bins, binning=binning)
    plain = expected_calibration_error(labels, probabilities, bins=bins, binning=binning)
    assert figure(np.full((len(labels), 2), 3.0)) == pytest.approx([plain, plain])
    if binning is Binning.WIDTH:  # whose bins don't depend on the other pairs
        weights = np.arange(len(labels)) % 3 + (np.arange(len(labels)) == 0)
        twice = [np.repeat(side, weights) for side in (labels, probabilities)]
        expected = expected_calibration_error(*twice, bins=bins, binning=binning)
        assert figure(weights[:, None].astype(float)) == pytest.approx([expected])
