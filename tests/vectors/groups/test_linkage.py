"""Groups satisfy each linkage's invariant, whatever the order of the texts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.vectors.groups.linkage import ColumnValues, Edges, KeepRule, Lengths, Linkage, group, preferred

COUNT = 9


def edges_of(pairs):
    a, b = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    return Edges(a, b, np.array([pair[2] for pair in pairs], dtype=np.float32))


@st.composite
def similar(draw):
    """Some pairs of nine texts, few distinct scores so that there are ties, and an order of preference."""
    chosen = draw(st.lists(st.sampled_from(list(combinations(range(COUNT), 2))), unique=True))
    scores = draw(st.lists(st.sampled_from([0.8, 0.85, 0.9]), min_size=len(chosen), max_size=len(chosen)))
    rank = np.array(draw(st.permutations(range(COUNT))))
    return edges_of([(*pair, score) for pair, score in zip(chosen, scores, strict=True)]), rank


def pairs_of(edges):
    return {frozenset(pair) for pair in zip(edges.a.tolist(), edges.b.tolist(), strict=True)}


most_texts = st.one_of(st.none(), st.integers(1, 4))


@given(similar(), st.sampled_from(Linkage), most_texts, st.permutations(range(COUNT)))
def test_the_order_of_texts_and_pairs_changes_nothing(made, linkage, most, order):
    edges, rank = made
    new = np.array(order)  # text t is now called new[t]
    shuffled = np.random.default_rng(0).permutation(len(edges))
    renamed = Edges(new[edges.b][shuffled], new[edges.a][shuffled], edges.score[shuffled])
    ranked = np.empty_like(rank)
    ranked[new] = rank
    found = group(edges, rank, linkage=linkage, most=most)
    again = group(renamed, ranked, linkage=linkage, most=most)
    assert {new[a]: new[b] for a, b in enumerate(found)} == dict(enumerate(again))


@given(similar(), st.sampled_from(Linkage), most_texts)
def test_groups_are_groups(made, linkage, most):
    edges, rank = made
    found = group(edges, rank, linkage=linkage, most=most)
    assert (found[found] == found).all()  # a representative stays a representative
    assert (rank[found] <= rank).all()
    if most is not None:
        assert np.bincount(found).max() <= most
    assert set(np.flatnonzero(found != np.arange(COUNT))) <= {*edges.a, *edges.b}


@given(similar())
def test_what_stays_for_a_text_resembles_it_and_nothing_else_that_stays(made):
    edges, rank = made
    found = group(edges, rank, linkage=Linkage.REPRESENTATIVE)
    pairs, best = pairs_of(edges), {}
    for a, b, score in zip(edges.a.tolist(), edges.b.tolist(), edges.score.tolist(), strict=True):
        best[frozenset((a, b))] = score
    stays = {int(text) for text in found}
    assert not any(frozenset(pair) in pairs for pair in combinations(stays, 2))
    for text, kept in enumerate(found.tolist()):
        if text != kept:
            preferred = [other for other in stays if rank[other] < rank[text]]
            near = [best[frozenset((text, other))] for other in preferred if frozenset((text, other)) in best]
            assert best[frozenset((text, kept))] == max(near)


@given(similar(), st.integers(1, 4))
def test_with_full_groups_every_text_that_goes_still_has_one_that_resembles_it(made, most):
    edges, rank = made
    found = group(edges, rank, linkage=Linkage.REPRESENTATIVE, most=most)
    for text, kept in enumerate(found.tolist()):
        assert text == kept or frozenset((text, kept)) in pairs_of(edges)


def test_texts_that_find_no_room_stand_together():
    found = group(
        edges_of([(0, 1, 0.9), (0, 2, 0.8), (0, 3, 0.8), (2, 3, 0.7), (0, 4, 0.7), (3, 4, 0.7)]),
        np.arange(5),
        linkage=Linkage.REPRESENTATIVE,
        most=2,
    )
    assert found.tolist() == [0, 0, 2, 2, 4]  # a text similar to 4 represents no other, or is full


@given(similar(), most_texts)
def test_complete_groups_are_similar_throughout(made, most):
    edges, rank = made
    found = group(edges, rank, linkage=Linkage.COMPLETE, most=most)
    pairs = pairs_of(edges)
    for a, b in combinations(range(COUNT), 2):
        assert found[a] != found[b] or frozenset((a, b)) in pairs


@given(similar())
def test_components_are_those_of_a_graph(made):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges, rank = made
    found = group(edges, rank, linkage=Linkage.COMPONENTS)
    graph = coo_array((np.ones(len(edges)), (edges.a, edges.b)), shape=(COUNT, COUNT))
    labels = connected_components(graph, directed=False)[1]
    for a, b in combinations(range(COUNT), 2):
        assert (found[a] == found[b]) == (labels[a] == labels[b])


@pytest.mark.parametrize("linkage", Linkage)
def test_a_chain(linkage):
    chain = edges_of([(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.9)])
    found = group(chain, np.arange(4), linkage=linkage).tolist()
    assert (
        found
        == {
            Linkage.REPRESENTATIVE: [0, 0, 2, 2],
            Linkage.COMPLETE: [0, 0, 2, 2],
            Linkage.COMPONENTS: [0, 0, 0, 0],
        }[linkage]
    )
    assert group(chain, np.arange(4), linkage=linkage, most=2).tolist() == [0, 0, 2, 2]
    assert group(edges_of([]), np.arange(4), linkage=linkage).tolist() == [0, 1, 2, 3]


TEXTS, TIES = Lengths.of(["bb", "a", "bb", "ccc"]), np.array([2, 0, 1, 3])  # ids 4, 3, 2, 1
EDGES = Edges(np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.8], dtype=np.float32))


@pytest.mark.parametrize(
    ("keep", "order"),
    [(KeepRule.LONGEST, [3, 2, 0, 1]), (KeepRule.FIRST, [0, 1, 2, 3]), (KeepRule.CENTRAL, [1, 0, 2, 3])],
)
def test_order_of_preference(keep, order):
    assert np.argsort(preferred(keep, TEXTS, TIES, edges=EDGES).rank).tolist() == order


VALUES = ColumnValues.of([1.0, None, 5.0, 1.0], ["1.0", "", "5.0", "1.0"])


@pytest.mark.parametrize(
    ("keep", "kept", "gone", "words"),
    [
        (KeepRule.LONGEST, 3, 1, "longest: 3 characters against 1 character"),
        (KeepRule.LONGEST, 2, 0, "longest: both 2 characters; it is first by text, then by id"),
        (KeepRule.FIRST, 0, 2, "first: place 1 against place 3"),
        (KeepRule.CENTRAL, 1, 0, "central: 1.700 in all against 0.900 in all"),
        (KeepRule.HIGHEST, 2, 1, "highest: 5.0 against no value"),
    ],
)
def test_reasons(keep, kept, gone, words):
    assert preferred(keep, TEXTS, TIES, edges=EDGES, values=VALUES).reason(kept, gone) == words


def test_values_of_a_column():
    rank = preferred(KeepRule.HIGHEST, TEXTS, TIES, edges=EDGES, values=VALUES).rank
    assert np.argsort(rank).tolist() == [2, 0, 3, 1]
    for wrong in (None, ColumnValues.of([1, 2], ["1", "2"])):
        with pytest.raises(UsageError) as error:
            preferred(KeepRule.HIGHEST, TEXTS, TIES, edges=EDGES, values=wrong)
        assert error.value.params == ("values",)


@pytest.mark.parametrize("keep", [KeepRule.LONGEST, KeepRule.CENTRAL])
def test_the_order_of_the_rows_does_not_count(keep):
    order = np.array([2, 0, 3, 1])
    place = np.argsort(order)
    moved = Edges(place[EDGES.a], place[EDGES.b], EDGES.score)
    again = preferred(keep, Lengths(TEXTS.seen[order], TEXTS.padding[order]), TIES[order], edges=moved)
    assert (again.rank == preferred(keep, TEXTS, TIES, edges=EDGES).rank[order]).all()


def test_a_clean_copy_is_preferred_to_a_padded_one():
    lengths = Lengths.of(
        ["\u5bc6\u200b\u7801", "\u5bc6\u7801", " \u5bc6\u7801\u00ad ", "Zoe\u0301", "Zo\u00e9"]
    )
    assert lengths.seen.tolist() == [2, 2, 2, 3, 3]
    found = preferred(KeepRule.LONGEST, lengths, np.array([0, 1, 2, 3, 4]), edges=EDGES)
    assert np.argsort(found.rank).tolist() == [4, 3, 1, 0, 2]
    assert "nobody sees" in found.reason(1, 0)
