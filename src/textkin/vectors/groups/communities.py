"""Communities on the graph of similar pairs, by the Leiden method.

Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities" (2019). The
objective is the weight within communities minus a resolution for every two texts of one community (the
constant Potts model; Traag, Van Dooren and Nesterov, "Narrow scope for resolution-limit-free community
detection", 2011). So a community is denser than the resolution, whatever the size of the graph. Modularity
would join small groups in a large graph, as it compares them with random links in the whole graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array

from textkin.base.arrays import Floats
from textkin.base.progress import progress
from textkin.data.splits.components import join
from textkin.vectors.groups.linkage import Edges, Numbers

if TYPE_CHECKING:
    from textkin.vectors.groups.leiden_loops import WeightedGraph

DENSITY = 0.5
"""Default resolution: a community is as dense as if half of its pairs were equal."""

_ROUNDS = 10


def communities(
    edges: Edges,
    count: int,
    *,
    resolution: float = DENSITY,
    times: Numbers | None = None,
    seed: int = 0,
) -> Numbers:
    """Group texts into communities, each connected by similar pairs.

    Args:
        edges: similar pairs; their scores are the weights.
        count: number of texts.
        resolution: cost of every two texts in one community, similar or not.
        times: number of equal texts that each one represents; 1 by default. Shape [texts].
        seed: seed for the order in which texts are moved.

    Returns:
        The first text of each text's community. Shape [texts].
    """
    masses = np.ones(count) if times is None else times.astype(np.float64)
    weights = edges.score.astype(np.float64) * masses[edges.a] * masses[edges.b]
    graph = _graph(edges.a, edges.b, weights, masses)
    rng = np.random.default_rng(seed)
    labels, highest = np.arange(count), 0.0
    with progress("rounds", total=_ROUNDS) as shown:
        for _ in range(_ROUNDS):
            found = _round(graph, labels, resolution, rng)
            quality = quality_of(graph, found, resolution)
            shown.advance()
            if quality <= highest:
                break
            labels, highest = found, quality
    return _connected(edges, labels)


def quality_of(graph: WeightedGraph, labels: Numbers, resolution: float) -> float:
    """The objective: weight within communities minus the cost of their sizes; 0 if all are singletons."""
    nodes = np.repeat(np.arange(len(labels)), np.diff(graph.starts))
    within = graph.weights[labels[nodes] == labels[graph.others]].sum() / 2
    mass = np.bincount(labels, weights=graph.masses)
    return float(within - resolution * ((mass**2).sum() - (graph.masses**2).sum()) / 2)


def _round(graph: WeightedGraph, labels: Numbers, resolution: float, rng: np.random.Generator) -> Numbers:
    """Improve communities in rounds: move nodes, split communities into parts, move the parts."""
    from textkin.vectors.groups.leiden_loops import move, refine

    labels = labels.copy()
    node = np.arange(len(labels))
    while True:
        move(graph, labels, rng.permutation(len(labels)), resolution)
        parts = refine(graph, labels, rng.permutation(len(labels)), resolution)
        first, part = np.unique(parts, return_inverse=True)
        if len(first) == len(labels):
            return labels[node]
        a = np.repeat(part, np.diff(graph.starts))
        b = part[graph.others]
        apart = a < b
        masses = np.bincount(part, weights=graph.masses).astype(np.float64)
        graph = _graph(a[apart], b[apart], graph.weights[apart], masses)
        node = part[node]
        labels = np.unique(labels[first], return_inverse=True)[1]


def _graph(a: Numbers, b: Numbers, weights: Floats, masses: Floats) -> WeightedGraph:
    """A graph of pairs; pairs of the same two nodes are added up."""
    from textkin.vectors.groups.leiden_loops import WeightedGraph

    shape = (len(masses), len(masses))
    both = np.concatenate((a, b)), np.concatenate((b, a))
    matrix = coo_array((np.concatenate((weights, weights)), both), shape=shape).tocsr()
    matrix.sum_duplicates()
    starts, others = (numbers.astype(np.int64) for numbers in (matrix.indptr, matrix.indices))
    return WeightedGraph(starts, others, matrix.data, masses)


def _connected(edges: Edges, labels: Numbers) -> Numbers:
    """Connected communities, identified by their first texts.

    The parts of a community are connected, and so is the community, unless its last round ended with parts
    that no move would join. Splitting these lowers the cost, so nothing is lost.
    """
    within = labels[edges.a] == labels[edges.b]
    component = join(len(labels), np.stack((edges.a[within], edges.b[within]), axis=1))
    first, number = np.unique(component, return_index=True, return_inverse=True)[1:]
    return first[number]
