"""Masks of pairs and masked softmax."""

import math

import pytest
import torch

from textkin.networks.nn.masking import masked_softmax, pair_mask

pytestmark = pytest.mark.torch


def test_a_pair_of_tokens_counts_when_both_are_there():
    a, b = torch.tensor([[True, False]]), torch.tensor([[True, True, False]])
    assert pair_mask(a, b).tolist() == [[[True, True, False], [False, False, False]]]


def test_masked_softmax_shares_out_what_is_kept():
    scores = torch.tensor([[1.0, 2.0, 50.0], [3.0, 4.0, 5.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    shares = masked_softmax(scores, mask)
    first = math.exp(1) / (math.exp(1) + math.exp(2))
    torch.testing.assert_close(shares, torch.tensor([[first, 1 - first, 0.0], [0.0, 0.0, 0.0]]))
    shares.square().sum().backward()
    assert scores.grad.isfinite().all()
    assert (scores.grad[:, 2] == 0).all()
    torch.testing.assert_close(masked_softmax(scores.T, mask.T, dim=0), shares.T)
