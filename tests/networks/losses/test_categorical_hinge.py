"""Hinge loss on classes."""

import numpy as np
import pytest
import torch

from tests.networks.losses.making import tensor
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.categorical_hinge import categorical_hinge

pytestmark = pytest.mark.torch


def test_the_mean_of_the_reference():
    # .3 and 1.6 have the mean .95
    scores = tensor([[0.1, 0.8, 0.1], [0.8, 0.0, 0.2]])
    assert float(categorical_hinge(scores, torch.tensor([1, 2]))) == pytest.approx(0.95)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("margin", [1.0, 0.2])
def test_equals_the_loops(reduction, margin):
    for seed in range(6):
        random = np.random.default_rng(seed)
        scores, labels = random.normal(size=(6, 3)).round(1), random.integers(0, 3, 6)
        options = {"margin": margin, "reduction": reduction}
        expected = reference.categorical_hinge(scores.tolist(), labels.tolist(), **options)
        found = categorical_hinge(tensor(scores), torch.from_numpy(labels), **options)
        assert float(found) == pytest.approx(expected)


def test_no_rows_contribute_nothing():
    assert float(categorical_hinge(torch.zeros(0, 2), torch.zeros(0, dtype=torch.int64))) == 0


def test_gradients_are_right():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(4, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    labels = torch.tensor([0, 2, 1, 1])
    assert torch.autograd.gradcheck(lambda given: categorical_hinge(given, labels), scores)


@pytest.mark.parametrize("scores", [torch.zeros(3), torch.zeros(3, 1), torch.zeros(2, 2)])
def test_shapes_are_checked(scores):
    with pytest.raises(UsageError) as error:
        categorical_hinge(scores, torch.zeros(3, dtype=torch.int64))
    assert error.value.value == {"scores": list(scores.shape), "labels": [3]}
