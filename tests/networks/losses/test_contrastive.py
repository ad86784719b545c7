"""Contrastive loss."""

import pytest

from tests.networks.losses.making import tensor
from tests.networks.losses.pair_checks import PairLossChecks
from tests.reference import losses as reference
from textkin.networks.losses.contrastive import contrastive

pytestmark = pytest.mark.torch


class TestContrastive(PairLossChecks):
    loss = staticmethod(contrastive)
    oracle = staticmethod(reference.contrastive)
    variants = ({"margin": 0.5}, {"margin": 1.5})
    lowest = 0.0


def test_by_hand():
    found = contrastive(tensor([0.2, 0.1, 0.9]), tensor([1, 0, 0]))
    assert float(found) == pytest.approx((0.5 * 0.04 + 0.5 * 0.16) / 3)
