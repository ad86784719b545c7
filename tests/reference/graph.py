"""Connected components the slow way: walk breadth first from every node that has not been seen."""

from collections import deque


def components(nodes, edges):
    """A set of frozensets of nodes."""
    neighbours = {node: {node} for node in nodes}
    for one, other in edges:
        neighbours[one].add(other)
        neighbours[other].add(one)
    found, seen = set(), set()
    for start in nodes:
        if start in seen:
            continue
        group, waiting = set(), deque([start])
        while waiting:
            node = waiting.popleft()
            if node not in group:
                group.add(node)
                waiting.extend(neighbours[node])
        seen |= group
        found.add(frozenset(group))
    return found


def groups(names, numbers):
    """The same shape from a number for each name."""
    by_number = {}
    for name, number in zip(names, numbers, strict=True):
        by_number.setdefault(number, set()).add(name)
    return {frozenset(group) for group in by_number.values()}
