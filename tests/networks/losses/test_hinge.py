"""Hinge loss."""

import pytest

from tests.networks.losses.making import tensor
from tests.networks.losses.pair_checks import PairLossChecks
from tests.reference import losses as reference
from textkin.networks.losses.hinge import hinge

pytestmark = pytest.mark.torch


class TestHinge(PairLossChecks):
    loss = staticmethod(hinge)
    oracle = staticmethod(reference.hinge)
    variants = ({"margin": 1.0}, {"margin": 0.3})


def test_the_mean_of_the_reference():
    # .4, 1.1 and 1.9 have the mean 1.13333
    assert float(hinge(tensor([0.6, 0.1, -0.9]), tensor([1, 0, 1]))) == pytest.approx(3.4 / 3)
