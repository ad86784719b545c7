"""The loops of the Leiden method: moving nodes between communities, and splitting communities."""

from typing import NamedTuple

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.numba_cache import compiled

_ROUNDING = 1e-12


class WeightedGraph(NamedTuple):
    """A weighted graph, each pair listed at both of its nodes, without loops.

    Attributes:
        starts: the pairs of node n are at ``starts[n]:starts[n + 1]``. Shape [nodes + 1].
        others: the other node of each pair. Shape [pairs].
        weights: shape [pairs].
        masses: masses of the nodes. Shape [nodes].
    """

    starts: Ints
    others: Ints
    weights: Floats
    masses: Floats


class CommunitySizes(NamedTuple):
    """Communities by number.

    Attributes:
        mass: mass of each community. Shape [nodes].
        members: number of nodes in each. Shape [nodes].
        empty: the numbers without nodes, in the first positions. Shape [nodes].
        free: count of these numbers. Shape [1].
    """

    mass: Floats
    members: Ints
    empty: Ints
    free: Ints


class Beside(NamedTuple):
    """Buffers for the communities adjacent to a node.

    Attributes:
        weight: weight from the node to each community, zero between two scans. Shape [nodes].
        near: the adjacent communities, in the first positions. Shape [nodes].
    """

    weight: Floats
    near: Ints


@compiled
def move(graph: WeightedGraph, labels: Ints, order: Ints, resolution: float) -> None:
    """Move nodes to the community with the largest gain, in turn, until no move gains.

    Labels change in place.

    Args:
        graph: the graph.
        labels: the community of each node, a number below the number of nodes. Shape [nodes].
        order: all nodes, in the order of their first turns. A node gets another turn when a neighbour moves
            to another community.
        resolution: minimum weight between two nodes of mass 1 for a gain.
    """
    count = len(labels)
    sizes = counted(graph, labels)
    beside = Beside(np.zeros(count), np.empty(count, dtype=np.int64))
    queue, waiting = order.copy(), np.ones(count, dtype=np.bool_)
    head, length = 0, count
    while length > 0:
        node = queue[head]
        head, length = (head + 1) % count, length - 1
        waiting[node] = False
        own = labels[node]
        leave(sizes, own, graph.masses[node])
        best = better(graph, labels, sizes, node, resolution, beside)
        enter(sizes, best, graph.masses[node])
        labels[node] = best
        if best == own:
            continue
        for place in range(graph.starts[node], graph.starts[node + 1]):
            other = graph.others[place]
            if labels[other] != best and not waiting[other]:
                waiting[other] = True
                queue[(head + length) % count] = other
                length += 1


@compiled
def better(
    graph: WeightedGraph,
    labels: Ints,
    sizes: CommunitySizes,
    node: int,
    resolution: float,
    beside: Beside,
) -> int:
    """The best community for a node without one: its former one, an adjacent one, or a new one."""
    own = labels[node]
    found = weigh(graph, labels, node, beside)
    cost = resolution * graph.masses[node]
    best, highest = int(own), beside.weight[own] - cost * sizes.mass[own]
    if highest < -_ROUNDING:  # then its community is not empty, and another number is free
        best, highest = int(sizes.empty[sizes.free[0] - 1]), 0.0
    for place in range(found):
        label = beside.near[place]
        gain = beside.weight[label] - cost * sizes.mass[label]
        if gain > highest + _ROUNDING:
            best, highest = int(label), gain
    clear(beside, found)
    return best


@compiled
def counted(graph: WeightedGraph, labels: Ints) -> CommunitySizes:
    """The sizes of the communities."""
    count = len(labels)
    sizes = CommunitySizes(
        np.zeros(count),
        np.zeros(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    for node in range(count):
        sizes.mass[labels[node]] += graph.masses[node]
        sizes.members[labels[node]] += 1
    for label in range(count - 1, -1, -1):
        if sizes.members[label] == 0:
            sizes.empty[sizes.free[0]] = label
            sizes.free[0] += 1
    return sizes


@compiled
def leave(sizes: CommunitySizes, label: int, mass: float) -> None:
    """Remove a node from a community."""
    sizes.mass[label] -= mass
    sizes.members[label] -= 1
    if sizes.members[label] == 0:
        sizes.mass[label] = 0.0
        sizes.empty[sizes.free[0]] = label
        sizes.free[0] += 1


@compiled
def enter(sizes: CommunitySizes, label: int, mass: float) -> None:
    """Add a node to a community; recently emptied ones are found fastest."""
    if sizes.members[label] == 0:
        place = sizes.free[0] - 1
        while sizes.empty[place] != label:
            place -= 1
        sizes.empty[place] = sizes.empty[sizes.free[0] - 1]
        sizes.free[0] -= 1
    sizes.mass[label] += mass
    sizes.members[label] += 1


@compiled
def weigh(graph: WeightedGraph, labels: Ints, node: int, beside: Beside) -> int:
    """Sum the weights from a node to the adjacent communities; return their number."""
    found = 0
    for place in range(graph.starts[node], graph.starts[node + 1]):
        label = labels[graph.others[place]]
        if beside.weight[label] == 0.0:
            beside.near[found] = label
            found += 1
        beside.weight[label] += graph.weights[place]
    return found


@compiled
def clear(beside: Beside, found: int) -> None:
    """Reset the buffers for the next scan."""
    for place in range(found):
        beside.weight[beside.near[place]] = 0.0


@compiled
def refine(graph: WeightedGraph, labels: Ints, order: Ints, resolution: float) -> Ints:
    """Split each community into connected parts; return the part of each node. Shape [nodes].

    Within its community each node starts alone. In its turn it joins the part with the largest gain, if both
    are well connected with the rest of the community. So each part is connected, and two parts may move to
    different communities later.
    """
    count = len(labels)
    whole = np.zeros(count)
    for node in range(count):
        whole[labels[node]] += graph.masses[node]
    parts, alone = np.arange(count), np.ones(count, dtype=np.bool_)
    mass, outward = graph.masses.copy(), inward(graph, labels)
    beside = Beside(np.zeros(count), np.empty(count, dtype=np.int64))
    for node in order:
        total = whole[labels[node]]
        if not alone[node] or outward[node] < resolution * mass[node] * (total - mass[node]) - _ROUNDING:
            continue
        found = weigh(graph, parts, node, beside)
        best, highest = node, 0.0
        for place in range(found):
            part = beside.near[place]
            gain = beside.weight[part] - resolution * mass[node] * mass[part]
            well = outward[part] >= resolution * mass[part] * (total - mass[part]) - _ROUNDING
            if labels[part] == labels[node] and well and gain > highest + _ROUNDING:
                best, highest = part, gain
        if best != node:
            parts[node], alone[best] = best, False
            mass[best] += mass[node]
            outward[best] += outward[node] - 2 * beside.weight[best]
        clear(beside, found)
    return parts


@compiled
def inward(graph: WeightedGraph, labels: Ints) -> Floats:
    """The weight from each node to the others of its community. Shape [nodes]."""
    found = np.zeros(len(labels))
    for node in range(len(labels)):
        for place in range(graph.starts[node], graph.starts[node + 1]):
            if labels[graph.others[place]] == labels[node]:
                found[node] += graph.weights[place]
    return found
