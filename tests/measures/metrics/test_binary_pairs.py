from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from tests.reference.mining import walked
from tests.reference.resampling import repeated
from textkin.base.errors import DataError
from textkin.measures.metrics.binary_pairs import (
    accuracy_by_weight,
    average_precision,
    confusion,
    f1_by_weight,
    precision_by_weight,
    recall_by_weight,
    roc_auc_by_weight,
)
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight
from textkin.measures.metrics.weighted import single

PAIR = st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.5 + 1e-12, 1.0]))
BOTH_KINDS = st.lists(PAIR, min_size=2, max_size=30).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)
WEIGHTS = st.lists(st.integers(0, 3), min_size=30, max_size=30)


def columns(rows: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(BOTH_KINDS)
def test_figures_over_all_thresholds_equal_scikit_learn(rows: list) -> None:
    labels, scores = columns(rows)
    assert average_precision(labels, scores) == pytest.approx(theirs.average_precision_score(labels, scores))
    assert single(roc_auc_by_weight, labels, scores, None) == pytest.approx(
        theirs.roc_auc_score(labels, scores)
    )


@settings(max_examples=60, deadline=None)
@given(BOTH_KINDS, st.integers(0, 4))
def test_what_was_not_found_earns_nothing(rows: list, missed: int) -> None:
    labels, scores = columns(rows)
    everything = np.append(labels, np.ones(missed)), np.append(scores, np.full(missed, -np.inf))
    area, _, _ = walked(scores.tolist(), (labels == 1).tolist(), int(labels.sum()) + missed)
    assert average_precision(*everything) == pytest.approx(area)
    cells = confusion(*everything, -1.0)
    assert (cells.true_positives, cells.false_negatives) == (labels.sum(), missed)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(BOTH_KINDS, st.sampled_from([-2.0, 0.25, 0.5, 2.0]), WEIGHTS)
def test_figures_at_a_threshold_equal_scikit_learn(rows: list, threshold: float, weights: list[int]) -> None:
    labels, scores = columns(rows)
    decided = scores >= threshold
    for given_weights in (None, np.array(weights[: len(rows)], dtype=float) + 1):
        kept = {"sample_weight": given_weights, "zero_division": 0.0}
        found = confusion(labels, scores, threshold, weights=given_weights)
        assert found.accuracy == pytest.approx(
            theirs.accuracy_score(labels, decided, sample_weight=given_weights)
        )
        assert found.precision == pytest.approx(theirs.precision_score(labels, decided, **kept))
        assert found.recall == pytest.approx(theirs.recall_score(labels, decided, **kept))
        assert found.f1 == pytest.approx(theirs.f1_score(labels, decided, **kept))
        if given_weights is not None:
            column = given_weights[:, None]
            assert accuracy_by_weight(threshold)(labels, scores)(column)[0] == pytest.approx(found.accuracy)
            assert f1_by_weight(threshold)(labels, scores)(column)[0] == pytest.approx(found.f1)
            assert recall_by_weight(threshold)(labels, scores)(column)[0] == pytest.approx(found.recall)
            precision = precision_by_weight(threshold)(labels, scores)(column)[0]
            assert precision == pytest.approx(found.precision) if decided.any() else np.isnan(precision)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(BOTH_KINDS, st.lists(WEIGHTS, min_size=1, max_size=3))
def test_a_weight_is_a_number_of_copies(rows: list, weightings: list[list[int]]) -> None:
    labels, scores = columns(rows)
    weights = np.array([one[: len(rows)] for one in weightings], dtype=float).T
    for prepared, plain in (
        (average_precision_by_weight, theirs.average_precision_score),
        (roc_auc_by_weight, theirs.roc_auc_score),
    ):
        got = prepared(labels, scores)(weights)
        for column, value in zip(weights.T, got, strict=True):
            copies = repeated(labels, column), repeated(scores, column)
            if len(set(copies[0])) == 2:
                assert value == pytest.approx(plain(*copies))
                assert value == pytest.approx(plain(labels, scores, sample_weight=column))
            elif plain is theirs.roc_auc_score or not copies[0].any():
                assert np.isnan(value)


@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.75, 1.0])
def test_a_threshold_is_reached_by_a_score_that_equals_it(threshold: float) -> None:
    labels, scores = np.array([1.0, 0.0, 1.0, 1.0, 0.0]), np.array([1.0, 0.75, 0.5, 0.25, 0.25])
    decided = scores >= threshold
    column = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]).T
    for measure, plain in (
        (accuracy_by_weight, theirs.accuracy_score),
        (f1_by_weight, theirs.f1_score),
        (precision_by_weight, theirs.precision_score),
        (recall_by_weight, theirs.recall_score),
    ):
        expected = plain(labels, decided, sample_weight=column[:, 0])
        assert measure(threshold)(labels, scores)(column)[0] == pytest.approx(expected)


def test_order_of_equal_scores_does_not_matter() -> None:
    assert average_precision(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == 0.5
    assert average_precision(np.array([0.0, 1.0]), np.array([0.5, 0.5])) == 0.5


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([1.0, 0.0], [0.5], "don't match"),
        ([1.0, 0.5], [0.5, 0.5], "label 0.5"),
        ([1.0, 0.0], [0.5, np.nan], "the score of pair 1"),
        ([np.nan, 0.0], [0.5, 0.5], "the label of pair 0"),
    ],
)
def test_refuses_what_is_not_labelled_pairs(labels: list, scores: list, message: str) -> None:
    at_half = (accuracy_by_weight, f1_by_weight, precision_by_weight, recall_by_weight)
    for measure in (
        *(average_precision, roc_auc_by_weight, lambda a, b: confusion(a, b, 0.5)),
        *(make(0.5) for make in at_half),
    ):
        with pytest.raises(DataError, match=message):
            measure(np.array(labels), np.array(scores))
