"""Metrics of pairs with binary labels (1: same, 0: different), at one threshold or over all.

Metrics over all thresholds depend only on the ranking of the pairs. Pairs of equal score form one step: they
are accepted together or not at all, so the order of the input never matters. In duplicate mining, a score of
minus infinity marks a pair that was not retrieved: no threshold accepts it, and it adds nothing.

Functions named ``*_by_weight`` prepare a metric for resampling (see :data:`textkin.data.protocols.ByWeight`).
Scores are sorted once, then any number of weightings is evaluated with sums along the sorted pairs.
"""

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats
from textkin.data.protocols import ByWeight, PairMeasure
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight
from textkin.measures.metrics.weighted import check_pairs, quotient, same_pairs, single, sums_by


@dataclass(frozen=True, slots=True)
class Confusion:
    """Confusion matrix of binary decisions, in counts or sums of weights."""

    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float

    @property
    def accuracy(self) -> float:
        """Proportion of correct decisions."""
        right = self.true_positives + self.true_negatives
        return _ratio(right, right + self.false_positives + self.false_negatives)

    @property
    def precision(self) -> float:
        """Proportion of accepted pairs that are positive; 0 without accepted pairs."""
        return _ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """Proportion of positive pairs that are accepted; 0 without positive pairs."""
        return _ratio(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        wrong = self.false_positives + self.false_negatives
        return _ratio(2 * self.true_positives, 2 * self.true_positives + wrong)


def confusion(
    labels: Floats, scores: Floats, threshold: float, *, weights: Floats | None = None
) -> Confusion:
    """Accept scores at or above ``threshold``, and count. All arrays of shape [pairs]."""
    check_pairs(labels, scores)
    decided = scores >= threshold
    cells = np.bincount(2 * same_pairs(labels) + decided, weights=weights, minlength=4).tolist()
    return Confusion(
        true_positives=cells[3], false_positives=cells[1], false_negatives=cells[2], true_negatives=cells[0]
    )


def average_precision(labels: Floats, scores: Floats, *, weights: Floats | None = None) -> float:
    """Area under the precision-recall steps, as in scikit-learn; NaN without positive pairs.

    If positives that were not retrieved score minus infinity, it is the AP of duplicate mining: the sum of
    the precisions at the retrieved positives, divided by the number of all positives.
    """
    return single(average_precision_by_weight, labels, scores, weights)


def roc_auc_by_weight(labels: Floats, scores: Floats, /) -> ByWeight:
    """Probability that a positive pair outscores a negative one, ties one half; NaN if a class is empty."""
    check_pairs(labels, scores)
    same = same_pairs(labels)
    levels, step = np.unique(scores, return_inverse=True)
    positives, negatives = (sums_by(step, len(levels), kept=kept) for kept in (same, ~same))

    def figure(weights: Floats) -> Floats:
        right, wrong, won = np.zeros((3, weights.shape[1]))
        for gained, added in zip(positives(weights), negatives(weights), strict=True):
            won += gained * (wrong + added / 2)
            right += gained
            wrong += added
        return quotient(won, right * wrong)

    return figure


def accuracy_by_weight(threshold: float) -> PairMeasure:
    """Accuracy at a fixed threshold, prepared for resampling."""

    def measure(labels: Floats, scores: Floats, /) -> ByWeight:
        check_pairs(labels, scores)
        right = (same_pairs(labels) == (scores >= threshold)).astype(np.float64)
        return lambda weights: quotient(right @ weights, weights.sum(axis=0))

    return measure


def f1_by_weight(threshold: float) -> PairMeasure:
    """F1 at a fixed threshold, prepared for resampling."""

    def measure(labels: Floats, scores: Floats, /) -> ByWeight:
        check_pairs(labels, scores)
        positive, decided = same_pairs(labels), scores >= threshold
        found = (positive & decided).astype(np.float64)
        either = positive.astype(np.float64) + decided
        return lambda weights: quotient(2 * (found @ weights), either @ weights)

    return measure


def precision_by_weight(threshold: float) -> PairMeasure:
    """Precision at a fixed threshold, prepared for resampling; NaN if no pair is accepted."""

    def measure(labels: Floats, scores: Floats, /) -> ByWeight:
        check_pairs(labels, scores)
        decided = scores >= threshold
        found = (same_pairs(labels) & decided).astype(np.float64)
        return lambda weights: quotient(found @ weights, decided.astype(np.float64) @ weights)

    return measure


def recall_by_weight(threshold: float) -> PairMeasure:
    """Recall at a fixed threshold, prepared for resampling."""

    def measure(labels: Floats, scores: Floats, /) -> ByWeight:
        check_pairs(labels, scores)
        positive = same_pairs(labels)
        found = (positive & (scores >= threshold)).astype(np.float64)
        return lambda weights: quotient(found @ weights, positive.astype(np.float64) @ weights)

    return measure


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
