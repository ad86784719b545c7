"""Convolution over tokens."""

import pytest
import torch

from tests.reference.nn import convolved
from textkin.networks.nn.convolution import TokenConvolution

pytestmark = pytest.mark.torch

LENGTHS = [5, 0, 1, 3]


MASK = torch.arange(5) < torch.tensor(LENGTHS)[:, None]


def test_convolution_is_the_plain_loop_without_padding():
    torch.manual_seed(0)
    layer = TokenConvolution(dim=3, filters=2, widths=(2, 3, 4))
    inputs = torch.randn(4, 5, 3)  # padding holds noise, which must not matter
    found = layer(inputs, MASK)
    for row, length in enumerate(LENGTHS):
        tokens = inputs[row, :length].tolist()
        parts = [
            torch.tensor(convolved(tokens, part.weight.tolist(), part.bias.tolist())).reshape(length, 2)
            for part in layer.convolutions
        ]
        torch.testing.assert_close(found[row, :length], torch.cat(parts, dim=1), atol=1e-6, rtol=0)
