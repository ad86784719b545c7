from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from textkin.base.errors import DataError
from textkin.measures.metrics.calibration import (
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
    assert expected_calibration_error(labels, probabilities, bins=2) == pytest.approx((0.4 + 0.1) / 2)
    assert expected_calibration_error(labels, labels) == 0


def test_refuses_scores() -> None:
    for wrong in ([1.5, 0.5], [0.5, -0.1], [1.1, 1.2]):
        with pytest.raises(DataError, match="between 0 and 1"):
            brier(np.array([1.0, 0.0]), np.array(wrong))
    assert brier(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1
    with pytest.raises(DataError, match="no pairs"):
        brier(np.empty(0), np.empty(0))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 12))
def test_the_error_by_weight_is_the_error(rows: list, bins: int) -> None:
    labels, probabilities = np.array(rows, dtype=float).T
    figure = calibration_error_by_weight(labels, probabilities, bins=bins)
    plain = expected_calibration_error(labels, probabilities, bins=bins)
    assert figure(np.full((len(labels), 2), 3.0)) == pytest.approx([plain, plain])
