from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score

from tests.reference import agreement as slow
from textkin.base.errors import DataError
from textkin.measures.metrics.agreement import (
    alpha_by_weight,
    kappa_by_weight,
    kendall_tau_b,
    majority,
    mean_by_weight,
    same_by_weight,
    shared_errors_by_weight,
    vote_right,
)

TWO = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


def plain(figure, items):
    return float(figure(np.ones((items, 1)))[0])


@given(TWO)
def test_kappa_is_scikit_learns_and_that_of_the_definition(rows):
    a, b = (np.array(one) for one in zip(*rows, strict=True))
    found = plain(kappa_by_weight(a, b), len(a))
    assert found == pytest.approx(slow.kappa(a.tolist(), b.tolist()), nan_ok=True, abs=1e-12)
    if not np.isnan(found):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert found == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)


@given(TWO, st.randoms())
def test_weights_stand_for_repeated_items(rows, random):
    a, b = (np.array(one) for one in zip(*rows, strict=True))
    weights = np.array([random.randint(0, 3) for _ in rows])
    if not weights.any():
        return
    for figure in (
        same_by_weight,
        kappa_by_weight,
        lambda x, y: shared_errors_by_weight(x != 0, y != 0),
        lambda x, _: mean_by_weight(np.where(x == 3, np.nan, x)),
    ):
        repeated = figure(np.repeat(a, weights), np.repeat(b, weights))
        column = figure(a, b)(weights[:, None].astype(float))
        assert column[0] == pytest.approx(plain(repeated, int(weights.sum())), nan_ok=True, abs=1e-12)


@given(TWO)
def test_shared_errors_by_the_definition(rows):
    a, b = (np.array(one) > 1 for one in zip(*rows, strict=True))
    found = plain(shared_errors_by_weight(a, b), len(a))
    assert found == pytest.approx(slow.shared_errors(a.tolist(), b.tolist()), nan_ok=True)


def test_figures_by_hand():
    a, b = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    assert plain(same_by_weight(a, b), 4) == 0.75
    assert plain(kappa_by_weight(a, b), 4) == pytest.approx((0.75 - 0.5) / 0.5)
    assert plain(shared_errors_by_weight(a == 1, b == 1), 4) == 0.5
    assert np.isnan(plain(kappa_by_weight(np.zeros(3, dtype=int), np.zeros(3, dtype=int)), 3))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12))
def test_tau_b_is_scipys_and_that_of_the_definition(rows):
    scores = np.array(rows, dtype=float).T
    found = kendall_tau_b(scores)
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(
                slow.tau_b(scores[i].tolist(), scores[j].tolist()), nan_ok=True
            )
            if not np.isnan(found[i, j]):
                assert found[i, j] == pytest.approx(kendalltau(scores[i], scores[j]).statistic)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_the_vote_of_the_majority(rows):
    decisions = np.array(rows)
    chosen = decisions[majority(decisions), np.arange(4)]
    assert chosen.tolist() == [slow.vote(rows, item) for item in range(4)]
    right = decisions == 1
    assert vote_right(decisions, right).tolist() == [one == 1 for one in chosen.tolist()]


def test_what_is_not_on_the_same_items_is_refused():
    with pytest.raises(DataError, match="same items"):
        same_by_weight(np.zeros(2, dtype=int), np.zeros(3, dtype=int))
    with pytest.raises(DataError, match="nobody"):
        majority(np.empty((0, 3), dtype=np.int64))


ANSWERS = st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=4), min_size=1, max_size=20)


def counted(items):
    return np.array([[item.count(one) for one in range(3)] for item in items])


@given(ANSWERS, st.randoms())
def test_alpha_by_the_definition_and_by_weights(items, random):
    found = plain(alpha_by_weight(counted(items)), len(items))
    assert found == pytest.approx(slow.alpha(items), nan_ok=True, abs=1e-12)
    weights = [random.randint(0, 3) for _ in items]
    repeated = [item for item, weight in zip(items, weights, strict=True) for _ in range(weight)]
    if repeated:
        column = alpha_by_weight(counted(items))(np.array(weights, dtype=float)[:, None])
        assert column[0] == pytest.approx(slow.alpha(repeated), nan_ok=True, abs=1e-12)


def test_alpha_of_krippendorffs_example():
    """Krippendorff 2011, "Computing Krippendorff's alpha-reliability": nominal data, four observers."""
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[row[place] for row in rows if row[place] != "."] for place in range(12)]
    units = [one for one in units if len(one) > 1]
    counts = np.array([[one.count(level) for level in "12345"] for one in units])
    assert plain(alpha_by_weight(counts), len(units)) == pytest.approx(0.743, abs=5e-4)


def test_alpha_needs_two_answers():
    with pytest.raises(DataError, match="fewer than two"):
        alpha_by_weight(np.array([[1, 0]]))
