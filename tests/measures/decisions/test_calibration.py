from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from textkin.base.errors import DataError, ModelError
from textkin.measures.decisions.calibration import (
    Isotonic,
    Method,
    Platt,
    calibration_from_dict,
    fit_calibration,
)
from textkin.measures.metrics.calibration import brier, expected_calibration_error

ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([-3.0, 0.0, 0.1, 0.2, 0.5, 0.9, 40.0])),
    min_size=2,
    max_size=40,
).filter(lambda rows: len({label for label, _ in rows}) == 2)
BETWEEN = np.linspace(-5, 45, 400)


def columns(rows: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    labels, scores = zip(*rows, strict=True)
    return np.array(labels), np.array(scores)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_isotonic_equals_scikit_learn(rows: list) -> None:
    labels, scores = columns(rows)
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, labels)
    ours = fit_calibration(labels, scores)
    assert ours.probability(BETWEEN) == pytest.approx(theirs.predict(BETWEEN), abs=1e-9)
    assert (np.diff(ours.probability(BETWEEN)) >= 0).all()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(ROWS, st.sampled_from([1.0, 1e-4, 1e4]))
def test_platt_is_where_the_likelihood_is_largest(rows: list, scale: float) -> None:
    labels, scores = columns(rows)
    positives = labels.sum()
    targets = np.where(labels == 1, (positives + 1) / (positives + 2), 1 / (len(labels) - positives + 2))

    def loss(line: np.ndarray) -> float:
        logits = line[0] * scores + line[1]
        return float(np.sum(np.logaddexp(0, logits) - targets * logits))

    ours = fit_calibration(labels, scores * scale, method=Method.PLATT)
    assert isinstance(ours, Platt)
    best = minimize(loss, [0.0, 0.0], method="BFGS").fun
    assert loss(np.array([ours.slope * scale, ours.intercept])) <= best + 1e-6
    assert ours.probability(scores * scale).sum() == pytest.approx(targets.sum(), abs=1e-3)


def test_separable_pairs_stay_short_of_certainty() -> None:
    labels, scores = np.repeat([0.0, 1.0], 20), np.repeat([0.1, 0.9], 20)
    probability = fit_calibration(labels, scores, method=Method.PLATT).probability(scores)
    assert probability[[0, -1]] == pytest.approx([1 / 22, 21 / 22])


@pytest.mark.parametrize("method", list(Method))
def test_equal_scores_get_about_the_share_of_same_pairs(method: Method) -> None:
    scores = np.full(30, 0.1)  # their standard deviation is a rounding error, not zero
    probability = fit_calibration(np.tile([0.0, 0.0, 1.0], 10), scores, method=method).probability(scores)
    assert probability == pytest.approx(np.full(30, 1 / 3), abs=0.03)


@pytest.mark.parametrize("method", list(Method))
def test_probabilities_hold_on_fresh_pairs(method: Method) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=8000)
    labels = (rng.random(8000) < expit(3 * scores - 1)).astype(float)
    fitted = fit_calibration(labels[:4000], scores[:4000].astype(np.float32), method=method)
    probabilities = fitted.probability(scores[4000:])
    assert expected_calibration_error(labels[4000:], probabilities) < 0.03
    assert brier(labels[4000:], probabilities) == pytest.approx(
        brier(labels[4000:], expit(3 * scores[4000:] - 1)), abs=0.005
    )
    if isinstance(fitted, Platt):
        assert (fitted.slope, fitted.intercept) == pytest.approx((3, -1), abs=0.2)


@pytest.mark.parametrize("method", list(Method))
def test_survives_json(method: Method) -> None:
    rng = np.random.default_rng(0)
    fitted = fit_calibration((rng.random(50) < 0.5).astype(float), rng.random(50), method=method)
    assert calibration_from_dict(json.loads(json.dumps(fitted.to_dict()))) == fitted


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"method": "magic"},
        {"method": "platt", "slope": "steep", "intercept": 0},
        {"method": "isotonic", "scores": [1, 0], "probabilities": [0, 1]},
        {"method": "isotonic", "scores": [0, 1], "probabilities": [1, 0]},
        {"method": "isotonic", "scores": [0, 1], "probabilities": [1]},
        {"method": "isotonic", "scores": [], "probabilities": []},
    ],
)
def test_refuses_a_stored_curve_that_is_none(stored: dict) -> None:
    with pytest.raises(ModelError):
        calibration_from_dict(stored)


def test_level_stretches_need_only_their_ends() -> None:
    labels = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    fitted = fit_calibration(labels, np.arange(7.0))
    assert fitted == Isotonic((0.0, 1.0, 4.0, 5.0, 6.0), (0.0, 0.5, 0.5, 1.0, 1.0))


def test_refuses_one_label() -> None:
    with pytest.raises(DataError) as error:
        fit_calibration(np.ones(4), np.arange(4.0))
    assert (error.value.params, error.value.value) == (("labels",), 4)
    with pytest.raises(DataError, match="infinite"):
        fit_calibration(np.array([0.0, 1.0]), np.array([0.0, np.inf]))
