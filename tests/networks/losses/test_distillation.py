"""Vectors of a teacher."""

import pytest
import torch

from tests.networks.losses.making import vectors
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.distillation import distillation

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("measure", ["square", "cosine"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_equals_the_loops(measure, reduction):
    for seed in range(6):
        found, teacher = vectors(seed, count=2)
        expected = reference.distillation(
            found.tolist(), teacher.tolist(), measure=measure, reduction=reduction
        )
        given = torch.from_numpy(found), torch.from_numpy(teacher)
        assert float(distillation(*given, measure=measure, reduction=reduction)) == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["square", "cosine"])
def test_gradients_are_right(measure):
    generator = torch.Generator().manual_seed(3)
    rows = torch.randn(5, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda given: distillation(given, torch.ones(5, 3), measure=measure), rows
    )


def test_shapes_are_checked():
    with pytest.raises(UsageError) as error:
        distillation(torch.zeros(2, 3), torch.zeros(2, 4))
    assert error.value.value == {"vectors": [2, 3], "teacher": [2, 4]}
