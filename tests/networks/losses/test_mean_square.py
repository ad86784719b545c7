"""Squared error on graded pairs."""

import pytest
import torch

from tests.networks.losses.making import tensor
from tests.networks.losses.pair_checks import PairLossChecks
from tests.reference import losses as reference
from textkin.networks.losses.mean_square import mean_square

pytestmark = pytest.mark.torch


class TestMeanSquare(PairLossChecks):
    loss = staticmethod(mean_square)
    oracle = staticmethod(reference.mean_square)


def test_grades_need_not_be_0_and_1():
    scores, grades = tensor([0.5, 3.0, -1.0]), torch.tensor([1, 5, -2])
    assert float(mean_square(scores, grades, reduction="sum")) == pytest.approx(0.25 + 4 + 1)
