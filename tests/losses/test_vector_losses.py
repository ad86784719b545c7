"""Losses on vectors of triplets: triplet and cosine ranking."""

import itertools

import numpy as np
import pytest
import torch

from tests.reference import losses as reference
from textkin.errors import UsageError
from textkin.losses.cosine_ranking import CosineRanking, cosine_ranking
from textkin.losses.distances import cosine_distance, euclidean_distance
from textkin.losses.triplet import Triplet, triplet


def vectors(seed, count=3, rows=7, width=4):
    random = np.random.default_rng(seed)
    made = random.normal(size=(count, rows, width))
    made[:, seed % rows] = made[0, seed % rows]  # anchor, positive and negative are equal
    made[seed % count, 0] = 0
    return made


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_triplet_equals_the_loops(measure, reduction):
    for seed, margin in itertools.product(range(6), (0.25, 2.0)):
        made = vectors(seed)
        expected = reference.triplet(*made.tolist(), margin=margin, measure=measure, reduction=reduction)
        found = triplet(*torch.from_numpy(made), margin=margin, measure=measure, reduction=reduction)
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_cosine_ranking_equals_the_published_rows_of_three():
    for seed in range(6):
        rows = np.random.default_rng(seed).normal(size=(12, 5))
        rows[seed] = 0
        expected = reference.cosine_ranking_of_rows(rows.tolist(), margin=0.2)
        batch = torch.from_numpy(rows)
        assert float(cosine_ranking(batch[0::3], batch[1::3], batch[2::3])) == pytest.approx(
            expected, abs=1e-12
        )


def test_by_hand():
    anchor, near, far = torch.tensor([[3.0, 4.0]]), torch.tensor([[3.0, 3.0]]), torch.tensor([[0.0, 4.0]])
    assert float(triplet(anchor, near, far, measure="euclidean", margin=1)) == 0  # 1 + 1 - 3
    assert float(triplet(anchor, far, near, measure="euclidean", margin=1)) == 3  # 1 + 3 - 1
    assert float(cosine_ranking(anchor, far, anchor)) == pytest.approx(0.2 - 0.8 + 1)
    assert float(CosineRanking()(anchor, anchor, far)) == pytest.approx(0, abs=1e-6)  # .2 - 1 + .8
    assert float(CosineRanking(margin=0.5)(anchor, anchor, far)) == pytest.approx(0.3)
    assert float(Triplet(margin=0.5)(anchor, anchor, far)) == pytest.approx(0.3)


@pytest.mark.parametrize("distance", [cosine_distance, euclidean_distance])
def test_distances_and_their_gradients_are_finite_everywhere(distance):
    corners = torch.tensor([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1e-30, 0.0], [1e18, 1e18]])
    for a, b in itertools.product(corners, corners):
        a, b = a[None].clone().requires_grad_(), b[None].clone().requires_grad_()
        value = distance(a, b)
        value.sum().backward()
        assert value.isfinite().all()
        assert a.grad.isfinite().all()
        assert b.grad.isfinite().all()
        assert max(a.grad.abs().max(), b.grad.abs().max()) <= 2e18  # and no zero row has a gradient of 1e12
    zero = torch.zeros(1, 2, requires_grad=True)
    distance(zero, torch.tensor([[0.6, 0.8]])).sum().backward()
    assert zero.grad.norm() <= 1.0001


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
def test_gradients_are_right(measure):
    generator = torch.Generator().manual_seed(2)
    three = [torch.randn(5, 3, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(3)]
    assert torch.autograd.gradcheck(lambda *parts: triplet(*parts, margin=0.7, measure=measure), three)


@pytest.mark.parametrize("module", [Triplet(), Triplet(measure="euclidean"), CosineRanking()])
def test_order_does_not_matter_and_empty_batches_give_zero(module):
    three = torch.from_numpy(vectors(1))
    order = torch.randperm(three.shape[1])
    assert float(module(*three[:, order])) == pytest.approx(float(module(*three)))
    assert float(module(*torch.zeros(3, 0, 4))) == 0
    with pytest.raises(UsageError, match=r"negative \[1, 4\]"):
        module(three[0], three[1], three[2, :1])
