import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import negatives as reference
from textkin.base.errors import DataError, UsageError
from textkin.networks.batches.negatives import allowed_negatives, random_triplets, semi_hard_macrobatch

pytestmark = pytest.mark.torch

COMPONENTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)


@given(COMPONENTS)
def test_kin_are_never_allowed(rows):
    a = np.array([row[0] for row in rows], dtype=np.int64)
    b = np.array([row[1] for row in rows], dtype=np.int64)
    allowed = allowed_negatives(a, b)
    naive = allowed_negatives(a, b, naive=True)
    assert allowed.dtype == naive.dtype == torch.bool
    assert allowed.shape == naive.shape == (len(rows), len(rows))
    for i in range(len(rows)):
        for j in range(len(rows)):
            assert bool(allowed[i, j]) == (i != j and a[i] != b[j])
            assert bool(naive[i, j]) == (i != j)


def test_every_first_text_has_a_positive():
    with pytest.raises(UsageError) as error:
        allowed_negatives(np.arange(3), np.arange(2))
    assert error.value.value == (3, 2)


def test_hard_negatives_know_the_gold_graph_too():
    allowed = allowed_negatives(np.array([1, 2]), np.array([1, 2, 2, 3]))
    assert allowed.tolist() == [[False, True, True, True], [True, False, False, True]]
    naive = allowed_negatives(np.array([1, 2]), np.array([1, 2, 2, 3]), naive=True)
    assert naive.tolist() == [[False, True, True, True], [True, False, True, True]]


def test_random_negatives_are_uniform_over_the_other_components():
    texts = np.array([4, 2, 2, 7, 4, 4])
    pairs = np.array([2, 4, 7, 9])  # no text of component 9 is in the pool
    counts = np.zeros((len(pairs), len(texts)), dtype=int)
    rounds = 3000
    for epoch in range(rounds):
        counts[np.arange(len(pairs)), random_triplets(pairs, texts, seed=5, epoch=epoch)] += 1
    for pair, row in zip(pairs, counts, strict=True):
        others = texts != pair
        assert (row[~others] == 0).all()
        expected = rounds / others.sum()
        assert (np.abs(row[others] - expected) < 5 * np.sqrt(expected)).all()


def test_random_negatives_are_redrawn_each_epoch_and_repeat_with_the_seed():
    texts, pairs = np.arange(50) // 2, np.arange(25)
    drawn = [random_triplets(pairs, texts, seed=1, epoch=epoch) for epoch in (0, 1, 0)]
    assert np.array_equal(drawn[0], drawn[2])
    assert not np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], random_triplets(pairs, texts, seed=2, epoch=0))


def test_one_component_leaves_nothing_to_draw():
    with pytest.raises(DataError, match="outside component 3"):
        random_triplets(np.array([1, 3]), np.array([3, 3]), seed=0, epoch=0)
    assert random_triplets(np.array([], dtype=np.int64), np.array([3]), seed=0, epoch=0).shape == (0,)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("low", "high"), [(0.0, 0.2), (0.05, 0.5), (-1.0, 3.0), (0.0, 0.01)])
@pytest.mark.parametrize("graph", [False, True])
def test_semi_hard_equals_the_scan(seed, low, high, graph):
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 30))
    # Few different vectors with exact cosines: equal distances are common, and both sides round them alike.
    corners = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [-1, 0, 0, 0], [1, -1, 1, 1]])
    continuous = seed % 2
    anchors, positives = (
        random.normal(size=(size, 6)) if continuous else corners[random.integers(0, 6, size)]
        for _ in range(2)
    )
    texts = [random.choice(["Same", " same ", "other", "x", "y"]) for _ in range(size)]
    components = random.integers(0, 5, size) if graph else None
    found = semi_hard_macrobatch(
        torch.tensor(anchors, dtype=torch.float64),
        torch.tensor(positives, dtype=torch.float64),
        positive_texts=texts,
        components=components,
        min_margin=low,
        max_margin=high,
    )
    triplets, skipped = reference.semi_hard(
        anchors.tolist(), positives.tolist(), texts, components, min_margin=low, max_margin=high
    )
    assert list(zip(found.pairs.tolist(), found.negatives.tolist(), strict=True)) == triplets
    assert found.skipped == skipped == size - len(triplets)


def test_semi_hard_by_hand():
    anchors = torch.tensor([[1.0, 0.0]] * 4)
    angles = torch.tensor([0.3, 0.35, 0.4, 1.2])
    positives = torch.stack((angles.cos(), angles.sin()), dim=1)
    texts = ["a", " A", "b", "c"]

    def triplets(components=None):
        found = semi_hard_macrobatch(anchors, positives, positive_texts=texts, components=components)
        return list(zip(found.pairs.tolist(), found.negatives.tolist(), strict=True)), found.skipped

    # 0 and 1 are the same text, so 2 is the first wrong answer; behind 2 there is only 3, too far.
    assert triplets() == ([(0, 2), (1, 2)], 2)
    # With 2 known to be a duplicate of 0 it is no longer a negative of it, and 3 is too far.
    assert triplets(np.array([8, 9, 8, 7])) == ([(1, 2)], 3)


def test_semi_hard_survives_empty_texts_and_empty_macrobatches():
    found = semi_hard_macrobatch(torch.zeros(3, 4), torch.zeros(3, 4), positive_texts=["", "a", "b"])
    assert (found.pairs.tolist(), found.skipped) == ([], 3)
    found = semi_hard_macrobatch(torch.zeros(0, 4), torch.zeros(0, 4), positive_texts=[])
    assert (found.pairs.tolist(), found.negatives.tolist(), found.skipped) == ([], [], 0)
    half = semi_hard_macrobatch(
        torch.eye(3).half(), torch.eye(3).half(), positive_texts=["a", "b", "c"], max_margin=2
    )
    assert half.pairs.tolist() == [0, 1, 2]


def test_semi_hard_needs_parts_of_one_length():
    with pytest.raises(UsageError) as error:
        semi_hard_macrobatch(torch.zeros(3, 4), torch.zeros(3, 4), positive_texts=["a", "b"])
    assert error.value.value == [2, 3]
