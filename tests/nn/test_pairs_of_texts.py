"""Masks of pairs, masked softmax, similarity matrices, dense layers."""

import math

import pytest
import torch

from textkin.errors import UsageError
from textkin.nn.feed_forward import feed_forward
from textkin.nn.interaction import similarities
from textkin.nn.masking import masked_softmax, pair_mask

A, B = torch.randn(2, 3, 4), torch.randn(2, 5, 4)


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


@pytest.mark.parametrize("how", ["cosine", "dot"])
def test_similarities_of_every_two_tokens(how):
    found = similarities(A, B, how=how)
    for row in range(2):
        for i in range(3):
            for j in range(5):
                a, b = A[row, i], B[row, j]
                expected = a @ b if how == "dot" else torch.cosine_similarity(a, b, dim=0)
                torch.testing.assert_close(found[row, i, j], expected)
    assert (similarities(torch.zeros(1, 1, 4), B[:1], how=how) == 0).all()
    with pytest.raises(UsageError, match="'cosine' or 'dot'"):
        similarities(A, B, how="euclid")


@pytest.mark.parametrize("activation", ["relu", "tanh", "softplus"])
def test_the_last_dense_layer_is_linear(activation):
    layers = feed_forward(4, [6, 5], 2, activation=activation, dropout=0.5).eval()
    widths = [part.weight.shape for part in layers if isinstance(part, torch.nn.Linear)]
    assert widths == [(6, 4), (5, 6), (2, 5)]
    assert isinstance(layers[-1], torch.nn.Linear)
    function = {"relu": torch.relu, "tanh": torch.tanh, "softplus": torch.nn.functional.softplus}[activation]
    states = A[0]
    linear = [part for part in layers if isinstance(part, torch.nn.Linear)]
    torch.testing.assert_close(layers(states), linear[2](function(linear[1](function(linear[0](states))))))
    with pytest.raises(UsageError, match="expected one of: relu"):
        feed_forward(4, [], 1, activation="sine")
