"""Logistic loss."""

import pytest
import torch

from tests.networks.losses.making import tensor
from tests.networks.losses.pair_checks import PairLossChecks
from tests.reference import losses as reference
from textkin.networks.losses.logistic import logistic

pytestmark = pytest.mark.torch


class TestLogistic(PairLossChecks):
    loss = staticmethod(logistic)
    oracle = staticmethod(reference.logistic)


def test_is_the_cross_entropy_of_the_sigmoid():
    scores, labels = tensor([-40.0, -1.0, 0.0, 2.5, 40.0]), tensor([0.0, 1.0, 0.3, 0.0, 1.0])
    expected = torch.nn.functional.binary_cross_entropy_with_logits(scores, labels)
    assert float(logistic(scores, labels)) == pytest.approx(float(expected))
