"""Classification metrics; labels and decisions are class numbers, from 0.

Functions named ``*_by_weight`` prepare a metric for resampling, see :data:`textkin.data.protocols.ByWeight`.
"""

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.metrics.weighted import check_pairs, quotient, sums_by


def confusion_matrix(labels: Floats, decided: Floats, *, classes: int) -> Ints:
    """The number of pairs by true class (row) and decided class (column). Shape [classes, classes].

    Raises:
        DataError: a number is not a class from 0 to ``classes - 1``.
    """
    rows, columns = _numbers(labels, decided)
    if max(rows.max(initial=0), columns.max(initial=0)) >= classes:
        raise DataError(f"a class has number {max(rows.max(), columns.max())}, expected {classes} classes")
    return np.bincount(rows * classes + columns, minlength=classes * classes).reshape(classes, classes)


def class_accuracy_by_weight(labels: Floats, decided: Floats, /) -> ByWeight:
    """Proportion of correctly classified pairs. Both of shape [pairs]."""
    rows, columns = _numbers(labels, decided)
    right = (rows == columns).astype(np.float64)
    return lambda weights: quotient(right @ weights, weights.sum(axis=0))


def macro_f1_by_weight(labels: Floats, decided: Floats, /) -> ByWeight:
    """Unweighted mean of the F1 of all classes.

    As in scikit-learn, the classes are those that occur among labels or decisions. Both of shape [pairs].
    """
    rows, columns = _numbers(labels, decided)
    classes = max(rows.max(initial=0), columns.max(initial=0)) + 1
    found = sums_by(rows, classes, kept=rows == columns)
    has, given = sums_by(rows, classes), sums_by(columns, classes)

    def figure(weights: Floats) -> Floats:
        either = has(weights) + given(weights)
        f1 = quotient(2 * found(weights), either)
        return quotient(np.nansum(f1, axis=0), (either > 0).sum(axis=0).astype(np.float64))

    return figure


def one_class_by_weight(labels: Floats, decided: Floats, *, number: int) -> dict[str, ByWeight]:
    """Precision, recall and F1 of one class against all others, prepared for resampling.

    Args:
        labels: shape [pairs].
        decided: shape [pairs], or [seeds, pairs] for the decisions of all seeds together.
        number: class number.
    """
    has = (labels == number).astype(np.float64)
    given = np.mean(np.atleast_2d(decided) == number, axis=0)
    right = has * given
    return {
        "precision": _share(right, given),
        "recall": _share(right, has),
        "F1": _share(2 * right, has + given),
    }


def _share(part: Floats, whole: Floats) -> ByWeight:
    return lambda weights: quotient(part @ weights, whole @ weights)


def _numbers(labels: Floats, decided: Floats) -> tuple[Ints, Ints]:
    """Both arrays as integers.

    Raises:
        DataError: the shapes differ, or a value is not a non-negative integer.
    """
    check_pairs(labels, decided)
    for values in (labels, decided):
        odd = values[(values < 0) | (values != np.floor(values))]
        if len(odd):
            raise DataError(f"{odd[0]:g} is not the number of a class")
    return labels.astype(np.int64), decided.astype(np.int64)
