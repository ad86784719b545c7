from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from tests.reference import classes as slow
from tests.reference.resampling import repeated
from textkin.base.errors import DataError
from textkin.measures.metrics.classes import (
    class_accuracy_by_weight,
    confusion_matrix,
    macro_f1_by_weight,
    one_class_by_weight,
)
from textkin.measures.metrics.weighted import single

NUMBER = st.sampled_from([0.0, 1.0, 2.0, 5.0])
ROWS = st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=30)
WEIGHTS = st.lists(st.integers(0, 3), min_size=30, max_size=30)


def class_accuracy(labels: np.ndarray, decided: np.ndarray) -> float:
    return single(class_accuracy_by_weight, labels, decided, None)


def macro_f1(labels: np.ndarray, decided: np.ndarray) -> float:
    return single(macro_f1_by_weight, labels, decided, None)


def columns(rows: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


@pytest.mark.slow
@settings(max_examples=80)
@given(ROWS)
def test_figures_equal_scikit_learn_and_plain_counting(rows: list) -> None:
    labels, decided = columns(rows)
    assert class_accuracy(labels, decided) == pytest.approx(theirs.accuracy_score(labels, decided))
    assert class_accuracy(labels, decided) == pytest.approx(slow.accuracy(labels, decided))
    assert macro_f1(labels, decided) == pytest.approx(theirs.f1_score(labels, decided, average="macro"))
    assert macro_f1(labels, decided) == pytest.approx(slow.macro_f1(labels, decided))
    cells = confusion_matrix(labels, decided, classes=6)
    assert cells.tolist() == theirs.confusion_matrix(labels, decided, labels=range(6)).tolist()


@pytest.mark.slow
@settings(max_examples=60)
@given(ROWS, st.lists(WEIGHTS, min_size=1, max_size=3))
def test_a_weight_is_a_number_of_copies(rows: list, weightings: list[list[int]]) -> None:
    labels, decided = columns(rows)
    weights = np.array([one[: len(rows)] for one in weightings], dtype=float).T
    for prepared, plain in (
        (class_accuracy_by_weight, slow.accuracy),
        (macro_f1_by_weight, slow.macro_f1),
    ):
        for column, value in zip(weights.T, prepared(labels, decided)(weights), strict=True):
            copies = repeated(labels, column), repeated(decided, column)
            assert value == pytest.approx(plain(*copies)) if column.any() else np.isnan(value)


@settings(max_examples=40)
@given(ROWS, st.permutations([0.0, 1.0, 2.0, 5.0]))
def test_the_numbers_of_the_classes_do_not_matter(rows: list, others: list[float]) -> None:
    renamed = dict(zip([0.0, 1.0, 2.0, 5.0], others, strict=True))
    labels, decided = columns(rows)
    again = columns([(renamed[label], renamed[given]) for label, given in rows])
    assert macro_f1(*again) == pytest.approx(macro_f1(labels, decided))
    assert class_accuracy(*again) == class_accuracy(labels, decided)
    assert macro_f1(labels, labels) == class_accuracy(labels, labels) == 1


@pytest.mark.slow
@settings(max_examples=40)
@given(ROWS, st.integers(1, 3))
def test_one_class_against_the_rest_equals_scikit_learn(rows: list, seeds: int) -> None:
    labels, decided = columns(rows)
    runs = np.stack([np.roll(decided, seed) for seed in range(seeds)])
    wanted = theirs.precision_recall_fscore_support(
        np.tile(labels, seeds), runs.ravel(), labels=[0, 1, 2, 5], zero_division=np.nan
    )
    for place, number in enumerate((0, 1, 2, 5)):
        found = one_class_by_weight(labels, runs if seeds > 1 else decided, number=number)
        assert list(found) == ["precision", "recall", "F1"]
        if number in labels and number in decided:
            values = [float(one(np.ones((len(rows), 1)))[0]) for one in found.values()]
            assert values == pytest.approx([column[place] for column in wanted[:3]])
    assert np.isnan(one_class_by_weight(labels, decided, number=7)["F1"](np.ones((len(rows), 1)))[0])


@pytest.mark.parametrize(
    ("labels", "decided", "message"),
    [
        ([1.0, 0.0], [0.0], "don't match"),
        ([1.0, 0.5], [0.0, 0.0], "0.5 is not the number of a class"),
        ([1.0, 0.0], [0.0, -1.0], "-1 is not the number of a class"),
        ([1.0, 0.0], [0.0, np.nan], "the score of pair 1"),
    ],
)
def test_refuses_what_is_no_class(labels: list, decided: list, message: str) -> None:
    for measure in (class_accuracy, macro_f1, lambda a, b: confusion_matrix(a, b, classes=3)):
        with pytest.raises(DataError, match=message):
            measure(np.array(labels), np.array(decided))
    with pytest.raises(DataError, match="a class has number 3, expected 3 classes"):
        confusion_matrix(np.array([0.0]), np.array([3.0]), classes=3)
