from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import combining
from textkin.base.errors import DataError
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.metrics.binary_pairs import average_precision
from textkin.measures.metrics.correlation import spearman


def votes(worth, judged, **more):
    rows = len(worth)
    given = {"values": np.zeros((rows, 2)), "groups": np.arange(rows)} | more
    return Votes(worth=np.array(worth, dtype=float), judged=judged, **given)


ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=25)


@given(ROWS)
def test_rankings_are_judged_question_by_question(rows):
    questions, numbers, relevant = map(list, zip(*rows, strict=True))
    ties = list(range(len(rows)))[::-1]
    found = votes(relevant, JudgedBy.RANKED, questions=np.array(questions), ties=np.array(ties)).figure(
        np.array(numbers, dtype=float)
    )
    expected = combining.mean_average_precision([one > 0 for one in relevant], numbers, questions, ties)
    assert found == pytest.approx(expected, nan_ok=True)


@given(ROWS)
def test_the_first_of_the_best_rows_is_chosen(rows):
    questions, numbers, worth = map(list, zip(*rows, strict=True))
    found = votes(worth, JudgedBy.CHOSEN, questions=np.array(questions)).figure(
        np.array(numbers, dtype=float)
    )
    assert found == pytest.approx(combining.chosen(worth, numbers, questions))


def test_pairs_are_judged_by_the_measures_of_pairs():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=30).astype(np.float32).astype(np.float64)
    labels, graded = rng.integers(0, 2, 30).astype(float), rng.normal(size=30)
    assert votes(labels, JudgedBy.PAIRS).figure(numbers) == average_precision(labels, numbers)
    assert votes(graded, JudgedBy.GRADED).figure(numbers) == spearman(graded, numbers)


def test_numbers_that_differ_beyond_float32_are_equal():
    one = votes([0.0, 1.0], JudgedBy.CHOSEN, questions=np.zeros(2, dtype=int))
    assert one.figure(np.array([1.0, 1.0 + 1e-12])) == 0.0


def test_some_rows():
    one = votes([0.0, 1.0, 2.0], JudgedBy.RANKED, questions=np.array([0, 0, 1]), ties=np.arange(3))
    part = one.select(np.array([True, False, True]))
    assert part.worth.tolist() == [0.0, 2.0] and part.members == 2
    assert part.questions is not None and part.questions.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "told"), [(np.zeros((3, 2)), "shape"), (np.full((2, 2), np.nan), "not finite")]
)
def test_what_does_not_fit_is_refused(values, told):
    with pytest.raises(DataError, match=told):
        votes([0.0, 1.0], JudgedBy.PAIRS, values=values)
