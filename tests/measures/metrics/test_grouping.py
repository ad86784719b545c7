from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import clustering as slow
from textkin.base.errors import UsageError
from textkin.measures.metrics.grouping import adjusted_rand, b_cubed, pairwise_agreement, v_measure

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
    with pytest.raises(UsageError) as error:
        b_cubed(found, gold[:3])
    assert error.value.params == ("gold",)


@given(groups)
def test_the_adjusted_rand_index_of_all_pairs_one_by_one(both):
    found, gold = np.array(both, dtype=np.int64).reshape(-1, 2).T
    assert adjusted_rand(found, gold) == pytest.approx(slow.adjusted_rand(found.tolist(), gold.tolist()))


@given(groups)
def test_the_v_measure_by_its_entropies(both):
    found, gold = np.array(both, dtype=np.int64).reshape(-1, 2).T
    got = v_measure(found, gold)
    if not both:
        assert np.isnan(got.precision)
        return
    ours, theirs = slow.entropy(found.tolist()), slow.entropy(gold.tolist())
    joint = slow.entropy(found.tolist(), gold.tolist())
    assert got.precision == pytest.approx(1 - (joint - ours) / theirs if theirs > 1e-12 else 1, abs=1e-9)
    assert got.recall == pytest.approx(1 - (joint - theirs) / ours if ours > 1e-12 else 1, abs=1e-9)


@given(groups.filter(len))
def test_the_figures_are_those_of_scikit_learn(both):
    theirs = pytest.importorskip("sklearn.metrics")
    found, gold = np.array(both, dtype=np.int64).reshape(-1, 2).T
    assert adjusted_rand(found, gold) == pytest.approx(theirs.adjusted_rand_score(gold, found))
    got = v_measure(found, gold)
    known = theirs.homogeneity_completeness_v_measure(gold, found)
    assert (got.precision, got.recall, got.f1) == pytest.approx(known, abs=1e-9)
    assert got.f1 == pytest.approx(theirs.normalized_mutual_info_score(gold, found), abs=1e-9)
