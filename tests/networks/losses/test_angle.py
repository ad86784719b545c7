"""AnglE."""

import pytest
import torch

from tests.networks.losses.making import GRADES, vectors
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.angle import angle

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("scale", [20.0, 2.0])
@pytest.mark.parametrize("width", [4, 5])
def test_equals_the_loops(scale, width):
    for seed in range(6):
        a, b = vectors(seed, count=2, width=width)
        expected = reference.angle(a.tolist(), b.tolist(), GRADES, scale=scale)
        given = torch.from_numpy(a), torch.from_numpy(b), torch.tensor(GRADES)
        assert float(angle(*given, scale=scale)) == pytest.approx(expected, abs=1e-12)


def test_gradients_are_right():
    generator = torch.Generator().manual_seed(3)
    rows = torch.randn(5, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(lambda given: angle(given, given.flip(0), torch.arange(5.0)), rows)


def test_shapes_are_checked():
    with pytest.raises(UsageError) as error:
        angle(torch.zeros(2, 3), torch.zeros(2, 2), torch.zeros(2))
    assert error.value.value == {"a": [2, 3], "b": [2, 2]}
