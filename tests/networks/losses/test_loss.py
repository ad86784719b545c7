"""A loss with its options."""

import pytest
import torch

from textkin.networks.losses import LOSSES, Loss, LossInput
from textkin.networks.losses.mean_square import mean_square
from textkin.networks.losses.online_contrastive import online_contrastive

pytestmark = pytest.mark.torch


def test_the_options_reach_the_function():
    scores, labels = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0])
    assert float(Loss(mean_square, LossInput.PAIR_SCORES, {})(scores, labels)) == 2.5
    assert float(Loss(mean_square, LossInput.PAIR_SCORES, {"reduction": "sum"})(scores, labels)) == 5


def test_it_averages_if_its_options_or_else_its_defaults_say_so():
    takes = LossInput.PAIR_DISTANCES
    assert Loss(mean_square, takes, {}).averages
    assert not Loss(mean_square, takes, {"reduction": "sum"}).averages
    assert not Loss(online_contrastive, takes, {}).averages
    assert Loss(online_contrastive, takes, {"reduction": "mean"}).averages


def test_a_loss_without_a_reduction_averages():
    assert LOSSES["cosent"].averages
