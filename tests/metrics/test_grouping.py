from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.errors import UsageError
from textkin.metrics.grouping import b_cubed, pairwise_agreement

groups = st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 2)), max_size=12)


@given(groups)
def test_pairs_counted_one_by_one(both):
    found, gold = np.array(both, dtype=np.int64).reshape(-1, 2).T
    ours = {pair for pair in combinations(range(len(both)), 2) if found[pair[0]] == found[pair[1]]}
    theirs = {pair for pair in combinations(range(len(both)), 2) if gold[pair[0]] == gold[pair[1]]}
    got = pairwise_agreement(found, gold)
    for figure, whole in ((got.precision, ours), (got.recall, theirs)):
        assert figure == pytest.approx(len(ours & theirs) / len(whole)) if whole else np.isnan(figure)


@given(groups)
def test_b_cubed_by_its_definition(both):
    found, gold = np.array(both, dtype=np.int64).reshape(-1, 2).T
    texts = range(len(both))
    precision, recall = [], []
    for text in texts:
        mine = {other for other in texts if found[other] == found[text]}
        kind = {other for other in texts if gold[other] == gold[text]}
        precision.append(len(mine & kind) / len(mine))
        recall.append(len(mine & kind) / len(kind))
    got = b_cubed(found, gold)
    if both:
        assert got.precision == pytest.approx(np.mean(precision))
        assert got.recall == pytest.approx(np.mean(recall))
    else:
        assert np.isnan(got.precision)


def test_known_values():
    found, gold = np.array([1, 1, 2, 2]), np.array([0, 0, 0, 3])
    got = pairwise_agreement(found, gold)
    assert (got.precision, got.recall) == (0.5, 1 / 3)
    assert got.f1 == pytest.approx(0.4)
    with pytest.raises(UsageError, match="4 found groups and 3"):
        b_cubed(found, gold[:3])
