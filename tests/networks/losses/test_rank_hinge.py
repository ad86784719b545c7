"""Hinge loss on rankings."""

import numpy as np
import pytest
import torch

from tests.networks.losses.making import tensor
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.rank_hinge import rank_hinge

pytestmark = pytest.mark.torch


def test_the_mean_of_the_reference():
    # .4, 1.1 and 1.9 have the mean 1.13333
    found = rank_hinge(tensor([0.8, 0.4, 0.1]), tensor([0.2, 0.5, 1.0]))
    assert float(found) == pytest.approx(1.13333, abs=5e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("margin", [1.0, 0.2])
def test_equals_the_loops(reduction, margin):
    options = {"margin": margin, "reduction": reduction}
    for seed in range(6):
        random = np.random.default_rng(seed)
        positive, several = random.normal(size=6).round(1), random.normal(size=(6, 3)).round(1)
        expected = reference.rank_hinge(positive.tolist(), several.tolist(), **options)
        assert float(rank_hinge(tensor(positive), tensor(several), **options)) == pytest.approx(expected)
        one = reference.rank_hinge(positive.tolist(), several[:, :1].tolist(), **options)
        assert float(rank_hinge(tensor(positive), tensor(several[:, 0]), **options)) == pytest.approx(one)


def test_no_negatives_and_no_rows_contribute_nothing():
    positive = torch.ones(3, requires_grad=True)
    loss = rank_hinge(positive, torch.zeros(3, 0))
    loss.backward()
    assert float(loss.detach()) == 0
    assert (positive.grad == 0).all()
    assert float(rank_hinge(torch.zeros(0), torch.zeros(0, 2))) == 0


def test_gradients_are_right():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(4, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(lambda given: rank_hinge(given[:, 0], given[:, 1:]), scores)


@pytest.mark.parametrize("negative", [torch.zeros(2), torch.zeros(2, 3), torch.zeros(3, 1, 1)])
def test_shapes_are_checked(negative):
    with pytest.raises(UsageError) as error:
        rank_hinge(torch.zeros(3), negative)
    assert error.value.value == {"positive": [3], "negative": list(negative.shape)}
