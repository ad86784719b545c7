import pytest
import torch

from tests.reference.losses import cosine
from textkin.networks.nn.cosine_score import CosineScore

pytestmark = pytest.mark.torch


def test_one_score_is_linear_in_the_cosine():
    torch.manual_seed(0)
    a, b = torch.randn(4, 3), torch.randn(4, 3)
    a[3] = 0
    layer = CosineScore(outputs=1, scale=4.0)
    torch.nn.init.constant_(layer.linear.bias, 0.5)
    expected = [[4 * cosine(u, v) + 0.5] for u, v in zip(a.tolist(), b.tolist(), strict=True)]
    torch.testing.assert_close(layer(a, b), torch.tensor(expected))


def test_classes_have_a_slope_each():
    layer = CosineScore(outputs=3)
    assert layer(torch.ones(2, 4), torch.ones(2, 4)).shape == (2, 3)
    assert len(set(layer.linear.weight.flatten().tolist())) == 3
