"""Losses over the rows of a batch, all at once or a few at a time."""

import itertools

import pytest
import torch

from textkin.networks.losses import LOSSES
from textkin.networks.losses.distances import unit
from textkin.networks.losses.in_batch import in_batch

pytestmark = pytest.mark.torch


def sides(rows=5, columns=8, width=6):
    generator = torch.Generator().manual_seed(rows + columns)
    made = (torch.randn(count, width, generator=generator, dtype=torch.float64) for count in (rows, columns))
    allowed = torch.rand(rows, columns, generator=generator) < 0.7
    return *(unit(side).requires_grad_() for side in made), allowed


@pytest.mark.parametrize("name", ["multiple-negatives", "triplet-in-batch"])
@torch.no_grad()
def test_it_is_the_loss_of_the_matrix(name):
    a, b, allowed = sides()
    assert float(in_batch(LOSSES[name], a, b, allowed)) == pytest.approx(
        float(LOSSES[name](a @ b.T, allowed))
    )


@pytest.mark.parametrize("name", ["multiple-negatives", "triplet-in-batch"])
@torch.no_grad()
def test_both_directions_are_averaged_and_hard_negatives_have_no_way_back(name):
    a, b, allowed = sides()
    there = float(LOSSES[name](a @ b.T, allowed))
    back = float(LOSSES[name](b[:5] @ a.T, allowed[:, :5].T))
    assert float(in_batch(LOSSES[name], a, b, allowed, symmetric=True)) == pytest.approx((there + back) / 2)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("name", ["multiple-negatives", "triplet-in-batch"])
def test_a_few_rows_at_a_time_give_the_same_loss_and_gradients(name, symmetric):
    for rows, masked in itertools.product((1, 2, 4, 5, 9), (False, True)):
        found = []
        for chosen in (None, rows):
            a, b, allowed = sides()
            value = in_batch(
                LOSSES[name], a, b, allowed if masked else None, symmetric=symmetric, rows=chosen
            )
            value.backward()
            found.append((value.detach(), a.grad, b.grad))
        for whole, part in zip(*found, strict=True):
            assert torch.allclose(whole, part, atol=1e-12)
