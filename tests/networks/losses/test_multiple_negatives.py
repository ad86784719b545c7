"""Multiple negatives ranking loss."""

import itertools
import math

import pytest
import torch

from tests.networks.losses.in_batch_checks import InBatchChecks
from tests.networks.losses.making import tensor
from tests.reference import losses as reference
from textkin.networks.losses.multiple_negatives import multiple_negatives

pytestmark = pytest.mark.torch


class TestMultipleNegatives(InBatchChecks):
    loss = staticmethod(multiple_negatives)
    oracle = staticmethod(reference.multiple_negatives)
    variants = tuple(
        {"scale": scale, "reduction": reduction}
        for scale, reduction in itertools.product((20.0, 1.0), ("mean", "sum"))
    )


def test_by_hand():
    similarities = tensor([[1.0, 0.5], [0.0, 0.25]])
    rows = [math.log(1 + math.exp(-1)), math.log(1 + math.exp(-0.5))]
    assert float(multiple_negatives(similarities, scale=2, reduction="sum")) == pytest.approx(sum(rows))


def test_is_cross_entropy_on_the_diagonal():
    similarities = torch.randn(7, 7, dtype=torch.float64)
    expected = torch.nn.functional.cross_entropy(20 * similarities, torch.arange(7))
    assert float(multiple_negatives(similarities)) == pytest.approx(float(expected))
