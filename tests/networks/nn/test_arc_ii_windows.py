import pytest
import torch

from tests.reference.windows import window_grid
from textkin.networks.nn.arc_ii_windows import WindowGrid

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("width", [1, 2, 3])
def test_it_is_the_plain_loop_over_joined_windows(width):
    torch.manual_seed(0)
    layer = WindowGrid(dim=3, filters=4, width=width)
    a, b = torch.randn(2, 5, 3), torch.randn(2, 4, 3)
    a[1, 2:], b[0, 3:] = 0, 0
    found = layer(a, b)
    halves = [part.weight.transpose(1, 2).flatten(1).tolist() for part in (layer.over_a, layer.over_b)]
    for pair, (height, breadth) in enumerate([(5, 3), (2, 4)]):
        expected = window_grid(
            a[pair, :height].tolist(), b[pair, :breadth].tolist(), *halves, layer.over_a.bias.tolist(), width
        )
        torch.testing.assert_close(found[pair, :, :height, :breadth], torch.tensor(expected))
