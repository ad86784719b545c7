"""Average linkage equals scipy's, and a loop over all pairs of groups, for any order of pairs."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from tests.reference.clustering import average_linkage, cosines_of, partition_of
from textkin.vectors.groups.average_linkage import average_groups
from textkin.vectors.groups.linkage import Edges


def listed(vectors, threshold):
    """All pairs that reach the threshold."""
    cosines = cosines_of(vectors).astype(np.float32)
    a, b = np.nonzero(np.triu(cosines >= np.float32(threshold), 1))
    return Edges(a, b, cosines[a, b])


def clumped(seed, count, dim=4, spread=0.6):
    """Vectors around a few directions."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(count // 4, 1), dim))
    made = centres[rng.integers(0, len(centres), count)] + spread * rng.normal(size=(count, dim))
    return made.astype(np.float32)


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.floats(-0.2, 0.98))
@example(seed=32, count=32, threshold=0.21875)  # a removed candidate returns with a part of its own
@example(seed=4289902411, count=15, threshold=-0.010607510447850188).via("100,000 drawn cases")
def test_groups_are_those_of_scipy(seed, count, threshold):
    vectors = clumped(seed, count)
    distances = squareform(1 - cosines_of(vectors), checks=False)
    theirs = fcluster(linkage(distances, method="average"), 1 - threshold, criterion="distance")
    found = average_groups(listed(vectors, threshold), vectors, threshold)
    assert partition_of(found) == partition_of(theirs)


grid = arrays(np.float32, st.tuples(st.integers(2, 12), st.just(3)), elements=st.sampled_from([0, 1, 2, 4]))


@given(grid, st.sampled_from([0.3, 0.5, 0.75, 0.9, 0.999]), st.data())
def test_of_equal_means_the_first_texts_decide(vectors, threshold, data):
    times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(vectors), max_size=len(vectors))))
    found = average_groups(listed(vectors, threshold), vectors, threshold, times=times)
    assert partition_of(found) == average_linkage(vectors, threshold, times)
    assert (found[found] == found).all()
    assert (found <= np.arange(len(found))).all()


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.floats(0.2, 0.95))
def test_a_text_that_stands_for_several_counts_as_often(seed, count, threshold):
    vectors = clumped(seed, count)
    times = np.random.default_rng(seed).integers(1, 4, count)
    found = average_groups(listed(vectors, threshold), vectors, threshold, times=times)
    each = np.repeat(np.arange(count), times)
    written_out = vectors[each]
    all_of_them = average_groups(listed(written_out, threshold), written_out, threshold)
    assert partition_of(found[each]) == partition_of(all_of_them)


def test_the_order_of_the_pairs_changes_nothing():
    vectors = clumped(3, 300)
    edges = listed(vectors, 0.8)
    found = average_groups(edges, vectors, 0.8)
    order = np.random.default_rng(0).permutation(len(edges))
    turned = Edges(edges.b[order], edges.a[order], edges.score[order])
    assert (average_groups(turned, vectors, 0.8) == found).all()
    assert 1 < len(np.unique(found)) < 300


def test_pieces_of_several_components_are_those_of_one(monkeypatch):
    vectors = clumped(5, 400, dim=8)
    edges = listed(vectors, 0.7)
    found = average_groups(edges, vectors, 0.7)
    monkeypatch.setattr("textkin.vectors.groups.average_linkage._AT_ONCE", 8)
    assert (average_groups(edges, vectors, 0.7) == found).all()


def test_pairs_below_the_threshold_count():
    """Two pairs reach 0.8, but the mean of all three doesn't: the chain is broken."""
    angles = np.array([0.0, 0.6, 1.2])
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    found = average_groups(listed(vectors, 0.8), vectors, 0.8)
    assert len(np.unique(found)) == 2


@pytest.mark.parametrize("count", [0, 1, 3])
def test_texts_without_pairs_stay_alone(count):
    none = np.empty(0, dtype=np.int64)
    edges = Edges(none, none, np.empty(0, dtype=np.float32))
    found = average_groups(edges, np.ones((count, 2), dtype=np.float32), 0.9)
    assert found.tolist() == list(range(count))
