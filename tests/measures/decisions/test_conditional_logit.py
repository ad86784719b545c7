from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from tests.reference import combining
from textkin.base.errors import DataError
from textkin.measures.decisions.conditional_logit import fit_conditional_logit, fit_logit, softmax_within


def drawn(rows, width, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, width))
    return features, (features @ rng.normal(size=width) + rng.normal(size=rows) > 0).astype(float)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
def test_yes_or_no_is_scikit_learns_logistic_regression(ridge):
    features, labels = drawn(200, 3)
    weights, intercept = fit_logit(features, labels, ridge=ridge)
    theirs = LogisticRegression(C=1 / ridge, tol=1e-10, max_iter=1000).fit(features, labels)
    assert weights == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)


def test_of_questions_with_rows_no_other_weights_are_better():
    rng = np.random.default_rng(1)
    questions = rng.integers(0, 12, 50)
    features, targets = rng.normal(size=(50, 2)), rng.integers(0, 3, 50).astype(float)
    targets[questions == 3] = 0  # uninformative
    found = fit_conditional_logit(features, targets, questions, ridge=0.7)

    def loss(weights):
        return combining.conditional_loss(weights, features, targets, questions, 0.7)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = minimize(loss, np.zeros(2), tol=1e-12)
    assert loss(found) <= best.fun + 1e-9
    assert found == pytest.approx(best.x, abs=1e-4)


def test_rows_that_are_told_apart_perfectly_leave_weights_finite():
    features = np.array([[1.0], [2.0], [-1.0], [-2.0]])
    weights, _ = fit_logit(features, np.array([1.0, 1.0, 0.0, 0.0]))
    assert 0 < weights[0] < 10


def test_the_order_of_rows_does_not_matter():
    features, targets = drawn(40, 2)
    questions = np.arange(40) // 4
    mixed = np.random.default_rng(2).permutation(40)
    found = fit_conditional_logit(features, targets, questions)
    assert fit_conditional_logit(features[mixed], targets[mixed], questions[mixed]) == pytest.approx(found)


def test_shares_of_a_question():
    rng = np.random.default_rng(3)
    numbers, questions = rng.normal(size=20) * 5, rng.integers(0, 4, 20)
    expected = [combining.softmax(numbers, questions, row) for row in range(20)]
    assert softmax_within(numbers, questions) == pytest.approx(expected)


def test_what_says_nothing_is_refused():
    with pytest.raises(DataError) as error:
        fit_logit(np.ones((3, 1)), np.ones(3))
    assert (error.value.params, error.value.value) == (("labels",), 3)
    with pytest.raises(DataError, match="no question has a right answer"):
        fit_conditional_logit(np.ones((3, 1)), np.zeros(3), np.arange(3))
    with pytest.raises(DataError, match="shape"):
        fit_conditional_logit(np.ones((3, 1)), np.ones(2), np.arange(3))
