"""CoSENT."""

import math

import numpy as np
import pytest
import torch

from tests.networks.losses.making import GRADES
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.cosent import cosent

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("scale", [20.0, 2.0])
def test_equals_the_loops(scale):
    for seed in range(6):
        scores = np.random.default_rng(seed).uniform(-1, 1, 7)
        expected = reference.cosent(scores.tolist(), GRADES, scale=scale)
        found = cosent(torch.from_numpy(scores), torch.tensor(GRADES), scale=scale)
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_by_hand():
    scores, grades = torch.tensor([0.3, 0.1, 0.9]), torch.tensor([1.0, 2.0, 2.0])
    assert float(cosent(scores, grades, scale=1)) == pytest.approx(
        math.log(1 + math.exp(0.2) + math.exp(-0.6))
    )
    assert float(cosent(scores, torch.ones(3))) == 0  # no pair is above another
    assert float(cosent(torch.zeros(0), torch.zeros(0))) == 0


def test_gradients_are_right():
    generator = torch.Generator().manual_seed(3)
    scores = torch.randn(5, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(lambda given: cosent(given, torch.arange(5.0)), scores)


def test_shapes_are_checked():
    with pytest.raises(UsageError) as error:
        cosent(torch.zeros(2), torch.zeros(2, 1))
    assert error.value.value == {"scores": [2], "labels": [2, 1]}
