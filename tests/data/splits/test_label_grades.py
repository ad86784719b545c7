"""The scale of graded labels."""

import numpy as np
import pytest

from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.label_grades import GradeScale, odd_grade, scale_of


def graded(values, kind=LabelKind.GRADED):
    return PairSet(tuple(Pair("a", "b", value) for value in values), kind)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([0.6, 0.9], 0, 1),
        ([-0.2, 0.9], -1, 1),
        ([1.0, 4.6, None], 1, 5),
        ([0.2, 4.8], 0, 5),
        ([5.0, 5.0], 5, 6),
        ([-3.5, 2.0], -4, 2),
    ],
)
def test_a_scale_is_of_similarities_or_the_whole_numbers_around(values, low, high):
    assert scale_of(graded(values)) == GradeScale(low, high)


def test_a_stated_scale_holds_for_all_labels_but_classes():
    assert scale_of(graded([1.0, 2.0]), stated=(0, 4)) == GradeScale(0, 4, stated=True)
    assert scale_of(graded([0.0, 1.0], LabelKind.BINARY), stated=(0, 4)) == GradeScale(0, 4, stated=True)
    assert scale_of(graded([0.0, 1.0], LabelKind.CLASSES), stated=(0, 4)) is None
    assert scale_of(graded([None], LabelKind.NONE)) is None


def test_similarities_stay_and_others_become_shares():
    grades = np.array([-1.0, 0.5, 1.0])
    assert GradeScale(-1, 1).similarities(grades).tolist() == [-1, 0.5, 1]
    assert GradeScale(-1, 1).shares(grades).tolist() == [0, 0.75, 1]
    assert GradeScale(1, 5).similarities(np.array([1.0, 2.0, 5.0])).tolist() == [0, 0.25, 1]
    assert (GradeScale(1, 5).middle, GradeScale(-1, 1).middle) == (3, 0)


TWENTY = [0.0, 1.0, 2.5, 4.0, 5.0] * 4


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([*TWENTY, 50.0, *TWENTY], 20),
        ([*TWENTY, -50.0], 20),
        ([99.0, *TWENTY, None], 0),
        ([*TWENTY, 10.0], 20),
        ([*(value / 5 for value in TWENTY), 5.0], 20),
        ([0.0, 5.0] * 5 + [50.0], 10),
        ([*(TWENTY * 10), 50.0, 51.0], 200),  # 1 % may be slips
        (TWENTY, None),
        ([*TWENTY, -1.0], None),
        ([*(TWENTY * 10), *[50.0] * 20], None),
        ([0.0, 1.0] * 10 + [2.0], None),
        ([0.0, 5.0] * 5 + [10.0], None),
        ([5.0] * 20, None),
        ([3.0] * 20 + [5.0], None),
        ([0.0, 1.0, 2.0, 50.0], None),
        ([-1.0, 0.1, 0.1, 0.1, 0.1, 0.2], None),
    ],
)
def test_a_grade_far_from_all_others_is_odd(values, place):
    data = graded(values)
    odd = odd_grade(data, scale_of(data))
    assert (None if odd is None else odd.place) == place


def test_a_grade_outside_of_a_stated_scale_is_odd_and_one_inside_is_not():
    data = graded([*TWENTY, 50.0])
    assert odd_grade(data, GradeScale(0, 50, stated=True)) is None
    assert odd_grade(data, GradeScale(0, 5, stated=True)).place == 20
    assert odd_grade(data, GradeScale(1, 50, stated=True)).place == 0
