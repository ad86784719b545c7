"""All thresholds with distinct decisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.measures.decisions.candidate_thresholds import Cuts, first_best

_ONE = np.float32(1.0)
_SCORES = st.sampled_from([-np.inf, -1.0, 0.0, 0.1, 0.5, 1.0, float(np.nextafter(_ONE, np.float32(2))), 1e30])
_ROWS = st.lists(st.tuples(st.booleans(), _SCORES), min_size=1, max_size=20)


@pytest.mark.slow
@given(_ROWS)
def test_each_way_to_decide_has_one_threshold(rows: list[tuple[bool, float]]) -> None:
    same, scores = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=np.float32)
    cuts = Cuts.of(same, scores)
    finite = np.unique(scores[scores > -np.inf])
    assert len(cuts.values) == len(finite) + 1 if len(finite) else len(cuts.values) <= 1
    assert (np.diff(cuts.values) < 0).all()
    assert cuts.positives == same.sum()
    for value, found, taken in zip(cuts.values, cuts.found, cuts.taken, strict=True):
        decided = scores >= value
        assert (found, taken) == ((decided & same).sum(), decided.sum())
    if len(finite):
        assert cuts.taken[0] == 0
        assert cuts.taken[-1] == (scores > -np.inf).sum()


def test_a_threshold_lies_in_the_middle() -> None:
    cuts = Cuts.of(np.array([True, False, True]), np.array([0.5, 0.25, 1.0], dtype=np.float32))
    assert cuts.values[1:].tolist() == [0.75, 0.375, 0.25]
    assert cuts.values[0] == np.nextafter(_ONE, np.float32(2))
    assert cuts.precision.tolist() == pytest.approx([0, 1, 1, 2 / 3])
    assert cuts.recall.tolist() == [0, 0.5, 1, 1]


def test_neighbouring_numbers_are_divided_by_the_upper_one() -> None:
    above = np.nextafter(_ONE, np.float32(2))
    cuts = Cuts.of(np.array([True, False]), np.array([above, 1.0], dtype=np.float32))
    assert cuts.values[1:].tolist() == [above, 1.0]


def test_the_first_of_the_best() -> None:
    assert first_best(np.array([1, 3, 3, 3]), np.array([9, 4, 5, 5])) == 2
    assert first_best(np.array([2, 2, 1])) == 0
    assert first_best(np.array([0, 0]), np.array([1, 2]), np.array([7, 0])) == 1
