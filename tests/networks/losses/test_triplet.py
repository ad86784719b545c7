"""Triplet loss."""

import itertools
from functools import partial

import pytest
import torch

from tests.networks.losses.making import vectors
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.triplet import triplet

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "manhattan"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_equals_the_loops(measure, reduction):
    for seed, margin in itertools.product(range(6), (0.25, 2.0)):
        made = vectors(seed)
        expected = reference.triplet(*made.tolist(), margin=margin, measure=measure, reduction=reduction)
        found = triplet(*torch.from_numpy(made), margin=margin, measure=measure, reduction=reduction)
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_by_hand():
    anchor, near, far = torch.tensor([[3.0, 4.0]]), torch.tensor([[3.0, 3.0]]), torch.tensor([[0.0, 4.0]])
    assert float(triplet(anchor, near, far, measure="euclidean", margin=1)) == 0  # 1 + 1 - 3
    assert float(triplet(anchor, far, near, measure="euclidean", margin=1)) == 3  # 1 + 3 - 1
    assert float(triplet(anchor, anchor, far, margin=0.5)) == pytest.approx(0.3)


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "manhattan"])
def test_gradients_are_right(measure):
    generator = torch.Generator().manual_seed(2)
    three = [torch.randn(5, 3, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(3)]
    assert torch.autograd.gradcheck(lambda *parts: triplet(*parts, margin=0.7, measure=measure), three)


@pytest.mark.parametrize(
    "loss", [triplet, partial(triplet, measure="euclidean"), partial(triplet, measure="manhattan")]
)
def test_order_does_not_matter_and_empty_batches_give_zero(loss):
    three = torch.from_numpy(vectors(1))
    order = torch.randperm(three.shape[1])
    assert float(loss(*three[:, order])) == pytest.approx(float(loss(*three)))
    assert float(loss(*torch.zeros(3, 0, 4))) == 0
    with pytest.raises(UsageError) as error:
        loss(three[0], three[1], three[2, :1])
    assert error.value.value == {"anchor": [7, 4], "positive": [7, 4], "negative": [1, 4]}
