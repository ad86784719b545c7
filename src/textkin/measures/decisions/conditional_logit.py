"""Logistic regression on rows that compete for one question (McFadden's conditional logit).

The probability of a row is the softmax, over the rows of its question, of a weighted sum of its features.
Binary classification is the case of two rows, one of which has no features. Source: McFadden, "Conditional
logit analysis of qualitative choice behavior" (1974).
"""

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError

_NEWTON_STEPS = 100
_ENOUGH = 1e-10  # convergence: minimum decrease of the summed loss


def fit_conditional_logit(
    features: Floats, targets: Floats, questions: Ints, *, ridge: Floats | float = 1.0
) -> Floats:
    """Weights that maximise the penalised likelihood of the targets.

    The loss is the sum over questions of -target * log(probability), plus half of ridge * weight^2.

    Args:
        features: shape [rows, features].
        targets: relevance of each row, from 0. A question's rows should share its probability in proportion
            to these. Questions without a positive target are ignored. Shape [rows].
        questions: shape [rows].
        ridge: penalty of each feature, shape [features], or one for all.

    Returns:
        Shape [features].

    Raises:
        DataError: no question has a positive target, or shapes differ.
    """
    if features.ndim != 2 or not len(features) == len(targets) == len(questions):
        raise DataError(
            f"features of shape {features.shape} beside {len(targets)} targets and {len(questions)} questions"
        )
    order = np.argsort(questions, kind="stable")
    sums = np.bincount(np.unique(questions, return_inverse=True)[1], weights=targets)
    if not (sums > 0).any():
        raise DataError("no question has a right answer to learn from", fix="give data with right answers")
    member = np.unique(questions[order], return_inverse=True)[1]
    kept = (sums > 0)[member]
    rows, wanted = features[order][kept], (targets[order] / np.where(sums > 0, sums, 1.0)[member])[kept]
    first = np.flatnonzero(np.diff(member[kept], prepend=-1))
    penalty = np.broadcast_to(np.asarray(ridge, dtype=np.float64), features.shape[1:])
    return _newton(rows, wanted, first, penalty)


def fit_logit(features: Floats, labels: Floats, *, ridge: float = 1.0) -> tuple[Floats, float]:
    """Weights and intercept of a logistic regression with a ridge penalty.

    Args:
        features: shape [rows, features].
        labels: 1 or 0. Shape [rows].
        ridge: penalty of the weights; the intercept has none.

    Returns:
        Weights of shape [features], and the intercept.

    Raises:
        DataError: all labels are equal.
    """
    count, width = features.shape
    if len(np.unique(labels)) < 2:
        raise DataError(
            f"all {count:,} rows have one label, and weights need both",
            fix="give data with both labels",
            params=("labels",),
            value=count,
        )
    with_one = np.hstack((features, np.ones((count, 1))))
    rows = np.concatenate((with_one, np.zeros_like(with_one)))
    found = fit_conditional_logit(
        rows,
        np.concatenate((labels, 1 - labels)),
        np.tile(np.arange(count), 2),
        ridge=np.append(np.full(width, ridge), 0.0),
    )
    return found[:-1], float(found[-1])


def softmax_within(numbers: Floats, questions: Ints) -> Floats:
    """The softmax of numbers within each question. Both of shape [rows]."""
    member = np.unique(questions, return_inverse=True)[1]
    largest = np.full(int(member.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(largest, member, numbers)
    powers = np.exp(numbers - largest[member])
    return np.asarray(powers / np.bincount(member, weights=powers)[member])


def _newton(rows: Floats, wanted: Floats, first: Ints, penalty: Floats) -> Floats:
    """Minimise the convex loss by Newton's method with step halving."""
    weights = np.zeros(rows.shape[1])
    loss, shares = _loss(rows, wanted, first, weights, penalty)
    sizes = np.diff(np.append(first, len(rows)))
    for _ in range(_NEWTON_STEPS):
        gradient = rows.T @ (shares - wanted) + penalty * weights
        means = np.add.reduceat(rows * shares[:, None], first, axis=0)
        off = rows - np.repeat(means, sizes, axis=0)
        curvature = (off * shares[:, None]).T @ off + np.diag(penalty + 1e-12)
        step = np.linalg.solve(curvature, gradient)
        now, after = _loss(rows, wanted, first, weights - step, penalty)
        while now > loss and np.abs(step).max() > 1e-12:
            step /= 2
            now, after = _loss(rows, wanted, first, weights - step, penalty)
        gained = loss - now
        if gained > 0:
            weights, loss, shares = weights - step, now, after
        if gained <= _ENOUGH:
            break
    return weights


def _loss(
    rows: Floats, wanted: Floats, first: Ints, weights: Floats, penalty: Floats
) -> tuple[float, Floats]:
    """The loss, and the probability of each row."""
    logits = rows @ weights
    sizes = np.diff(np.append(first, len(rows)))
    logits -= np.repeat(np.maximum.reduceat(logits, first), sizes)
    powers = np.exp(logits)
    totals = np.repeat(np.add.reduceat(powers, first), sizes)
    loss = float(np.sum(wanted * (np.log(totals) - logits)) + 0.5 * penalty @ (weights * weights))
    return loss, powers / totals
