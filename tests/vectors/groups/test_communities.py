"""Communities are connected, no single move improves them, and small ones are optimal."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.reference.clustering import partition_of, potts_quality
from textkin.vectors.groups.communities import communities, quality_of
from textkin.vectors.groups.leiden_loops import WeightedGraph, refine
from textkin.vectors.groups.linkage import Edges


def random_graph(seed, count, share=0.3):
    rng = np.random.default_rng(seed)
    a, b = np.nonzero(np.triu(rng.random((count, count)) < share, 1))
    return Edges(a, b, rng.uniform(0.5, 1, len(a)).astype(np.float32))


def matrix_of(edges, masses):
    weights = np.zeros((len(masses), len(masses)))
    scores = edges.score.astype(np.float64) * masses[edges.a] * masses[edges.b]
    weights[edges.a, edges.b] = weights[edges.b, edges.a] = scores
    return weights


def graph_of(weights, masses):
    a, b = np.nonzero(weights)
    starts = np.searchsorted(a, np.arange(len(masses) + 1))
    return WeightedGraph(starts, b, weights[a, b], masses.astype(np.float64))


graphs = st.builds(random_graph, st.integers(0, 2**32 - 1), st.integers(2, 25), st.floats(0.05, 0.9))
resolutions = st.sampled_from([0.05, 0.3, 0.5, 0.8])


def drawn(edges, seed):
    count = int(max(edges.b.max(initial=0), edges.a.max(initial=0))) + 1
    return count, np.random.default_rng(seed).integers(1, 4, count)


@given(graphs, resolutions, st.integers(0, 99))
def test_communities_are_connected_and_no_text_gains_by_leaving(edges, resolution, seed):
    count, times = drawn(edges, seed)
    found = communities(edges, count, resolution=resolution, times=times, seed=seed)
    assert (found[found] == found).all()
    for group in partition_of(found):
        inside = np.isin(edges.a, list(group)) & np.isin(edges.b, list(group))
        pairs = edges.where(inside)
        linked = coo_array((np.ones(len(pairs)), (pairs.a, pairs.b)), shape=(count, count))
        assert len(set(connected_components(linked, directed=False)[1][list(group)])) == 1
    weights = matrix_of(edges, times)
    quality = potts_quality(weights, times, found, resolution)
    assert quality >= -1e-9
    for text in range(count):
        for community in {*found.tolist(), count}:
            moved = found.copy()
            moved[text] = community
            assert potts_quality(weights, times, moved, resolution) <= quality + 1e-9


@given(graphs, resolutions, st.integers(0, 99))
def test_the_quality_is_that_of_a_loop_over_all_pairs(edges, resolution, seed):
    count, times = drawn(edges, seed)
    labels = np.random.default_rng(seed).integers(0, 4, count)
    weights = matrix_of(edges, times)
    found = quality_of(graph_of(weights, times), labels, resolution)
    assert found == pytest.approx(potts_quality(weights, times, labels, resolution))


@pytest.mark.slow
def test_communities_of_few_texts_are_mostly_the_best_ones():
    reached = []
    for seed in range(60):
        edges, times = random_graph(seed, 6, 0.6), np.ones(6)
        weights = matrix_of(edges, times)
        highest = max(potts_quality(weights, times, one, 0.5) for one in product(range(4), repeat=6))
        found = potts_quality(weights, times, communities(edges, 6), 0.5)
        assert found <= highest + 1e-9
        reached.append(1.0 if highest <= 0 else found / highest)
    assert sum(share >= 1 - 1e-9 for share in reached) >= 50
    assert np.mean(reached) > 0.98


@given(graphs, resolutions, st.integers(0, 99))
def test_parts_are_connected_within_their_communities(edges, resolution, seed):
    count, times = drawn(edges, seed)
    labels = np.random.default_rng(seed).integers(0, 3, count)
    weights = matrix_of(edges, times)
    order = np.random.default_rng(seed).permutation(count)
    parts = refine(graph_of(weights, times), labels, order, resolution)
    for part in partition_of(parts):
        members = list(part)
        assert len(set(labels[members])) == 1
        assert connected_components(weights[np.ix_(members, members)] > 0)[0] == 1


def test_two_cliques_with_one_link_are_two_communities():
    a, b = np.nonzero(np.triu(np.kron(np.eye(2), np.ones((5, 5))), 1))
    edges = Edges(np.append(a, 4), np.append(b, 5), np.full(len(a) + 1, 0.9, dtype=np.float32))
    found = communities(edges, 10)
    assert partition_of(found) == {frozenset(range(5)), frozenset(range(5, 10))}


def test_a_large_graph_does_not_join_small_groups():
    """Modularity joins neighbouring cliques of a long ring; here each stays separate."""
    ring, size = 200, 4
    a, b = np.nonzero(np.triu(np.kron(np.eye(ring), np.ones((size, size))), 1))
    first = np.arange(ring) * size
    bridge = (first + size - 1, np.roll(first, -1))
    scores = np.full(len(a) + ring, 0.9, dtype=np.float32)
    edges = Edges(np.append(a, bridge[0]), np.append(b, bridge[1]), scores)
    assert len(np.unique(communities(edges, ring * size))) == ring


def test_the_seed_decides_and_nothing_else():
    edges = random_graph(1, 200, 0.05)
    found = communities(edges, 200, resolution=0.1, seed=7)
    assert (communities(edges, 200, resolution=0.1, seed=7) == found).all()
    others = {communities(edges, 200, resolution=0.1, seed=seed).tobytes() for seed in range(5)}
    assert len(others) > 1


def test_no_pairs_are_no_communities():
    none = np.empty(0, dtype=np.int64)
    edges = Edges(none, none, np.empty(0, dtype=np.float32))
    assert communities(edges, 3).tolist() == [0, 1, 2]
    assert communities(edges, 0).tolist() == []
