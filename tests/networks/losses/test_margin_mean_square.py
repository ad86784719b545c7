"""Squared error on a teacher's margins."""

import numpy as np
import pytest
import torch

from tests.networks.losses.making import tensor
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.margin_mean_square import margin_mean_square

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_equals_the_loops(reduction):
    for seed in range(6):
        random = np.random.default_rng(seed)
        positive, negative, margins = (
            random.normal(size=5),
            random.normal(size=(5, 3)),
            random.normal(size=(5, 3)),
        )
        expected = reference.margin_mean_square(
            positive.tolist(), negative.tolist(), margins.tolist(), reduction=reduction
        )
        given = (tensor(positive), tensor(negative), tensor(margins))
        assert float(margin_mean_square(*given, reduction=reduction)) == pytest.approx(expected)
        one = reference.margin_mean_square(
            positive.tolist(), negative[:, :1].tolist(), margins[:, :1].tolist(), reduction=reduction
        )
        given = (tensor(positive), tensor(negative[:, 0]), tensor(margins[:, 0]))
        assert float(margin_mean_square(*given, reduction=reduction)) == pytest.approx(one)
    with pytest.raises(UsageError) as error:
        margin_mean_square(tensor(positive), tensor(negative), tensor(margins[:, :1]))
    assert error.value.value == {"positive": [5], "negative": [5, 3], "margins": [5, 1]}


def test_gradients_are_right():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(4, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    margins = torch.rand(4, 2, dtype=torch.float64, generator=generator)
    assert torch.autograd.gradcheck(
        lambda given: margin_mean_square(given[:, 0], given[:, 1:], margins), scores
    )
