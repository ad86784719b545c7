from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import combining
from textkin.base.errors import ModelError, UsageError
from textkin.measures.decisions.combination import combination_from_dict
from textkin.measures.decisions.reciprocal_ranks import (
    ReciprocalRanks,
    places_within,
    ranks_within,
    with_lowest,
)

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20)


@given(ROWS)
def test_places_and_ranks_within_a_question(rows):
    questions, numbers = (np.array(one) for one in zip(*rows, strict=True))
    ranks = [combining.rank(numbers, questions, row) for row in range(len(rows))]
    assert ranks_within(numbers.astype(float), questions) == pytest.approx(ranks)
    places, sizes = places_within(numbers.astype(float), questions)
    for row in range(len(rows)):
        beside = combining.within(numbers, questions, row)
        higher = sum(numbers[other] > numbers[row] for other in beside)
        equal = sum(numbers[other] == numbers[row] for other in beside)
        assert places[row] == higher + (equal + 1) / 2
        assert sizes[row] == len(beside)


def test_reciprocal_ranks_by_hand():
    values = np.array([[3.0, np.nan], [2.0, 0.1], [np.nan, 0.9], [5.0, 5.0], [np.nan, np.nan]])
    found = ReciprocalRanks(2, k=1.0).combine(values, np.array([0, 0, 0, 1, 1]))
    assert found == pytest.approx([1 / 2, 1 / 3 + 1 / 3, 1 / 2, 1 / 2 + 1 / 2, 0.0])
    with pytest.raises(UsageError, match="none are given"):
        ReciprocalRanks(2).combine(values)


def test_no_rows():
    assert len(ReciprocalRanks(2).combine(np.empty((0, 2)), np.empty(0, dtype=np.int64))) == 0


def test_the_lowest_of_the_question_stands_for_what_was_not_found():
    values = np.array([[3.0, np.nan], [np.nan, np.nan], [1.0, 4.0], [2.0, np.nan]])
    questions = np.array([7, 7, 2, 2])
    assert with_lowest(values, questions).tolist() == [[3, 0], [3, 0], [1, 4], [2, 4]]
    with pytest.raises(UsageError, match="none are given"):
        with_lowest(values, None)
    assert with_lowest(values[2:3], None).tolist() == [[1, 4]]


def test_there_and_back():
    one = ReciprocalRanks(3, k=20.0)
    assert combination_from_dict(one.to_dict(), members=3) == one
    for k in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ModelError):
            combination_from_dict({**one.to_dict(), "k": k}, members=3)
