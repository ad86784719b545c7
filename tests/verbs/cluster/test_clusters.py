"""Named groups: their members, their centres, and the effects of order and repetition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textkin as tk
from tests.reference.clustering import average_linkage, cosines_of, partition, partition_of
from textkin.verbs.cluster import clusters as module


def made(seed, count, dim=5):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(count // 4, 1), dim))
    spread = centres[rng.integers(0, len(centres), count)] + 0.4 * rng.normal(size=(count, dim))
    return [f"text {place:03}" for place in range(count)], spread.astype(np.float32)


METHODS = ("average", "communities")


def groups_of(found):
    """Groups as sets of ids, with single texts separate."""
    numbers = found.labels.tolist()
    labels = [number or f"alone {place}" for place, number in enumerate(numbers)]
    return {frozenset(found.ids[place] for place in group) for group in partition_of(np.array(labels))}


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.sampled_from(METHODS))
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_texts_changes_nothing(seed, count, method):
    texts, vectors = made(seed, count)
    order = np.random.default_rng(seed).permutation(count)
    one = tk.cluster(texts, embeddings=vectors, threshold=0.75, method=method)
    other = tk.cluster(
        [texts[place] for place in order], embeddings=vectors[order], threshold=0.75, method=method
    )
    named = [(row["text"], row["group"], row["is_central"], row["similarity"]) for row in one.rows()]
    again = [(row["text"], row["group"], row["is_central"], row["similarity"]) for row in other.rows()]
    assert named == again


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_groups_and_middles_are_those_of_slow_loops(seed, count):
    texts, vectors = made(seed, count)
    times = np.random.default_rng(seed).integers(1, 3, count)
    each = np.repeat(np.arange(count), times)
    found = tk.cluster([texts[place] for place in each], embeddings=vectors[each], threshold=0.75)
    wanted = average_linkage(vectors, 0.75, times)
    written_out = partition([np.flatnonzero(np.isin(each, list(group))).tolist() for group in wanted])
    assert groups_of(found) == {frozenset(group) for group in written_out}
    cosines = cosines_of(vectors[each])
    for one in found.groups:
        members = np.flatnonzero(found.labels == one.number)
        totals = cosines[np.ix_(members, members)].sum(axis=1)
        central = found.ids.index(one.central_id)
        assert totals[members.tolist().index(central)] == pytest.approx(totals.max())
        assert found.similarity[members] == pytest.approx(cosines[central, members], abs=1e-6)
        assert one.size == len(members)
        assert found.central[members].sum() == 1
        assert found.central[central]


def test_groups_come_by_size_and_small_ones_are_single():
    angles = np.array([0, 0.01, 0.02, 1.5, 1.51, 3])
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    texts = [f"t{place}" for place in range(6)]
    found = tk.cluster(texts, embeddings=vectors, threshold=0.9)
    assert found.labels.tolist() == [1, 1, 1, 2, 2, 0]
    assert [row["id"] for row in found.rows()] == [1, 0, 2, 3, 4, 5]
    assert found.rows()[-1] == {
        **{"id": 5, "group": None, "is_central": False},
        **{"similarity": None, "text": "t5"},
    }
    larger = tk.cluster(texts, embeddings=vectors, threshold=0.9, min_size=3)
    assert larger.labels.tolist() == [1, 1, 1, 0, 0, 0]
    assert (larger.singles, len(larger.groups)) == (3, 1)
    alone = tk.cluster(texts, embeddings=vectors, threshold=0.9, min_size=1)
    assert alone.labels.tolist() == [1, 1, 1, 2, 2, 3]


@pytest.mark.parametrize("method", METHODS)
def test_equal_texts_make_no_pairs_and_equal_vectors_cost_none(method):
    found = tk.cluster(["the same text"] * 10_000, threshold=0.7, method=method)
    assert found.pairs == 0
    assert [one.size for one in found.groups] == [10_000]
    texts = [f"text {place}" for place in range(5000)]
    same = tk.cluster(texts, embeddings=np.ones((5000, 3), dtype=np.float32), threshold=0.7, method=method)
    assert (same.pairs, len(same.groups)) == (5000 * 4999 // 2, 1)


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.5])
def test_vectors_of_zeros_go_with_equal_texts_only(threshold):
    vectors = np.zeros((4, 3), dtype=np.float32)
    found = tk.cluster(["a", "b", "b", "c"], embeddings=vectors, threshold=threshold)
    assert found.labels.tolist() == [0, 1, 1, 0]


def test_parallel_vectors_reach_the_highest_threshold():
    vectors = np.array([[1, 2], [3, 6], [2, 1]], dtype=np.float32)
    found = tk.cluster(["a", "b", "c"], embeddings=vectors, threshold=1)
    assert found.labels.tolist() == [1, 1, 0]


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 20)
    texts, vectors = made(1, 30)
    with pytest.raises(tk.TextkinError, match="more than 20 pairs are similar from -1 on; raise"):
        tk.cluster(texts, embeddings=vectors, threshold=-1)


def test_words_tell_a_group_from_the_others():
    texts = [
        "the car park is full",
        "a full car park",
        "the bakery sells bread",
        "bread of the bakery",
        "the",
    ]
    found = tk.cluster(texts, threshold=0.5)
    told = {one.words for one in found.groups}
    assert {"car", "full", "park"} in [set(words) for words in told]
    assert all("the" not in words[:2] for words in told)


def test_figures_stand_beside_those_of_baselines():
    texts, vectors = made(2, 60)
    gold = [None if place == 0 else f"g{place % 7}" for place in range(60)]
    found = tk.cluster(texts, embeddings=vectors, threshold=0.75, gold=gold).gold
    assert found.systems == ("average", "components", "all alone", "one group")
    assert (found.texts, found.unknown, found.known) == (59, 1, 7)
    average, components, alone, whole = found.figures
    assert alone.precision is None
    assert whole.recall.value == 1
    assert components.recall.value >= average.recall.value
    assert [len(row) for row in found.table()] == [5] * 10


def test_a_perfect_grouping_has_the_highest_figures():
    texts, vectors = made(3, 40)
    first = tk.cluster(texts, embeddings=vectors, threshold=0.75)
    gold = [str(number or -place) for place, number in enumerate(first.labels.tolist(), 1)]
    figures = tk.cluster(texts, embeddings=vectors, threshold=0.75, gold=gold).gold.figures[0]
    assert figures.precision.value == figures.recall.value == figures.adjusted_rand == 1
    assert (figures.v_measure.f1, figures.b_cubed.f1) == pytest.approx((1, 1))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"threshold": float("nan")}, ("threshold",)),
        ({"threshold": 1.5}, ("threshold",)),
        ({"method": "averge"}, ("method",)),
        ({"min_size": 0}, ("min_size",)),
        ({"resolution": float("nan")}, ("resolution",)),
        ({"unknown": "maybe"}, ("unknown",)),
        ({"threshold": 0.5, "decision": "d.json"}, ("decision", "threshold")),
    ],
)
def test_options_out_of_range_are_refused(given, says):
    with pytest.raises(tk.TextkinError) as error:
        tk.cluster(["a", "b"], **given)
    assert error.value.params == says


def test_without_a_threshold_both_ways_to_one_are_named():
    with pytest.raises(tk.TextkinError):
        tk.cluster(["a", "b"])
    with pytest.raises(tk.TextkinError):
        tk.cluster(["a", "b"], embeddings=np.ones((2, 2), dtype=np.float32))
