from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import graph as reference
from textkin.data.splits.component_cuts import pieces
from textkin.data.splits.components import join

_EDGES = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), min_size=1, max_size=40)


def _arrays(edges):
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(_EDGES, _EDGES, st.integers(1, 20), st.permutations(range(15)))
def test_pieces_lie_between_cores_and_components(same, different, limit, hashes):
    edges = _arrays(same + different)
    cores, whole = join(15, _arrays(same)), join(15, edges)
    piece = pieces(cores, whole, edges[:, 0], edges[:, 1], hashes=hashes, limit=limit)
    assert sorted(set(piece.tolist())) == list(range(piece.max() + 1))
    components = reference.groups(range(15), whole.tolist())
    found = reference.groups(range(15), piece.tolist())
    for core in reference.groups(range(15), cores.tolist()):
        assert sum(core <= part for part in found) == 1
    for part in found:
        (component,) = (component for component in components if part <= component)
        inside = sum({one, other} <= part for one, other in edges.tolist())
        if sum({one, other} <= component for one, other in edges.tolist()) <= limit:
            assert part == component
        elif len({cores[node] for node in part}) > 1:
            assert inside <= limit


def test_the_neighbour_with_most_ties_joins_first():
    edges = _arrays([(0, 1), (0, 2), (1, 0), (0, 1), (2, 3), (2, 3), (3, 2)])
    whole = np.zeros(4, dtype=np.int64)
    for hashes in permutations(range(4)):
        piece = pieces(np.arange(4), whole, edges[:, 0], edges[:, 1], hashes=list(hashes), limit=3)
        assert reference.groups(range(4), piece.tolist()) == {frozenset({0, 1}), frozenset({2, 3})}
