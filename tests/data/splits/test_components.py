import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.splits.making import binary, pair_sets
from tests.reference import graph as reference
from textkin.base.text_equality import key_of
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.components import bonds, by_component, gold_components, id_spaces, join, text_graph

_EDGES = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30)


@given(_EDGES)
def test_join_equals_walking(edges):
    numbers = join(20, np.array(edges, dtype=np.int64).reshape(-1, 2))
    assert reference.groups(range(20), numbers.tolist()) == reference.components(range(20), edges)


def test_an_edge_may_be_repeated_any_number_of_times():
    for times in (1, 2, 128, 256, 65536):
        assert len(set(join(2, np.array([[0, 1]] * times)).tolist())) == 1


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(pair_sets(min_size=1))
def test_gold_components_equal_walking(data):
    found = gold_components(data)
    texts = {text for pair in data.texts for text in pair}
    same_key = [(one, other) for one in texts for other in texts if key_of(one) == key_of(other)]
    positives = [(pair.a, pair.b) for pair in data if pair.label == 1]
    assert reference.groups(found, found.values()) == reference.components(texts, same_key + positives)


def test_gold_components_leave_negatives_apart():
    found = gold_components(binary(("a", "b", 1.0), ("B?", "c", 1.0), ("c", "d", 0.0)))
    assert found["a"] == found["b"] == found["B?"] == found["c"] != found["d"]


def test_near_identical_texts_join_when_asked():
    long, longer = "how do I get my money back from the shop", "how do I get my money back from the shops"
    data = binary((long, "x", 0.0), (longer, "y", 0.0))
    assert gold_components(data)[long] != gold_components(data)[longer]
    found = gold_components(data, similarity=0.8)
    assert found[long] == found[longer] != found["x"]


def test_ids_join_texts_in_the_split_graph_only():
    data = binary(("a", "b", 0.0), ("c", "d", 0.0), ids=[("1", "2"), ("1", "3")])
    graph = text_graph(data)
    every = np.array([True, True])
    assert len(set(graph.components(pairs=every, ids=True).tolist())) == 1
    assert len(set(graph.components(pairs=every, ids=False).tolist())) == 2
    assert len(set(gold_components(data).values())) == 4


def test_columns_that_number_their_texts_apart_share_no_ids():
    apart = binary(*((f"q{i}", f"a{i}", 1.0) for i in range(5)), ids=[(str(i), str(i)) for i in range(5)])
    assert id_spaces(apart) == ("a:", "b:")
    assert len(set(text_graph(apart).components(pairs=np.ones(5, dtype=bool), ids=True).tolist())) == 5
    together = binary(("x", "y", 1.0), ("y", "z", 1.0), ids=[("1", "2"), ("2", "3")])
    assert id_spaces(together) == ("", "")
    # Of two ids that occur in both columns, one represents one text: half is enough.
    half = binary(("x", "y", 1.0), ("y", "z", 1.0), ("v", "w", 1.0), ids=[("1", "2"), ("2", "3"), ("4", "1")])
    assert id_spaces(half) == ("", "")
    less = binary(*((pair.a, pair.b, 1.0) for pair in half), ("u", "t", 1.0), ids=[*_ids(half), ("3", "5")])
    assert id_spaces(less) == ("a:", "b:")


def _ids(data):
    return [(pair.id_a, pair.id_b) for pair in data]


def _labelled(kind, labels, classes=()):
    return PairSet(tuple(Pair("a", "b", label) for label in labels), kind, classes)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (_labelled(LabelKind.BINARY, [0.0, 1.0, None]), [False, True, True]),
        (_labelled(LabelKind.BINARY, [0.0, 0.0]), [False, False]),
        (_labelled(LabelKind.GRADED, [0.0, 2.4, 2.5, 5.0, None]), [False, False, True, True, True]),
        (
            _labelled(LabelKind.CLASSES, [0.0, 1.0, 2.0], ("Contradiction", "Entailment", "neutral")),
            [False, True, False],
        ),
        (_labelled(LabelKind.CLASSES, [0.0, 1.0], ("red", "blue")), [True, True]),
        (_labelled(LabelKind.NONE, [None]), [True]),
    ],
)
def test_bonds(data, expected):
    assert bonds(data).tolist() == expected


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(0, 9))
def test_shares_of_the_pairs_take_component_by_component(clusters, seed):
    found = by_component(np.array(clusters), seed=seed).tolist()
    assert sorted(found) == list(range(len(clusters)))
    taken = [clusters[place] for place in found]
    begun = [place for place, one in enumerate(taken) if taken[:place].count(one) == 0]
    assert len(begun) == len(set(clusters))
    for first, end in zip(begun, [*begun[1:], len(taken)], strict=True):
        assert set(taken[first:end]) == {taken[first]}  # none is left before it is complete
        assert found[first:end] == sorted(found[first:end])


def test_components_come_in_random_order():
    uneven = np.array([0] * 90 + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    places = [by_component(uneven, seed=seed).tolist().index(0) for seed in range(50)]
    assert len(set(places)) > 5 and set(places) <= set(range(11))
