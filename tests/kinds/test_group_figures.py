"""Metrics of groups: weighted pairs equal repeated pairs, and intervals are over known groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.kinds.group_figures import PairCounts, group_figures
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.grouping import pairwise_agreement

groups = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14)


@given(groups, st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_pairs_count_as_often_as_their_known_groups_were_drawn(both, drawn):
    found, gold = np.array(both).T
    kinds, numbers = np.unique(gold, return_inverse=True)
    weights = np.array(drawn[: len(kinds)], dtype=float)
    ours = theirs = shared = 0.0
    for a, b in combinations(range(len(found)), 2):
        one, other = numbers[a], numbers[b]
        weight = weights[one] if one == other else weights[one] * weights[other]
        ours += weight * (found[a] == found[b])
        theirs += weight * (one == other)
        shared += weight * (found[a] == found[b] and one == other)
    got = PairCounts(found, gold).figures(weights[:, None])[:, 0]
    for figure, whole in zip(got, (ours, theirs, (ours + theirs) / 2), strict=True):
        assert figure == pytest.approx(shared / whole) if whole else np.isnan(figure)


@given(groups)
def test_values_are_those_of_the_measure(both):
    found, gold = np.array(both).T
    figures = group_figures(found, gold, sampling=Sampling(resamples=20))
    agreed = pairwise_agreement(found, gold)
    for got, value in ((figures.precision, agreed.precision), (figures.recall, agreed.recall)):
        assert np.isnan(value) if got is None else got.value == pytest.approx(value)
    if figures.f1 is not None and figures.precision and figures.recall:
        assert figures.f1.value == pytest.approx(agreed.f1)
        assert 0 <= figures.f1.low <= figures.f1.value <= figures.f1.high <= 1


def test_all_alone_has_no_precision():
    figures = group_figures(np.arange(6), np.array([0, 0, 1, 1, 2, 3]))
    assert figures.precision is None
    assert (figures.recall.value, figures.f1.value, figures.adjusted_rand) == (0, 0, 0)
    assert (figures.groups, figures.largest) == (6, 1)


@pytest.mark.slow
def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    """Known groups of three, each of which loses one text with probability 0.4 ("one in ten is joined")."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(60):
        gold = np.repeat(np.arange(150), 3)
        lost = rng.random(150) < 0.4
        found = gold.copy()
        found[::3][lost] = 1000 + np.arange(lost.sum())
        recall = group_figures(found, gold, sampling=Sampling(resamples=100)).recall
        held += recall.low <= 1 - 0.4 * 2 / 3 <= recall.high
    assert held >= 52
