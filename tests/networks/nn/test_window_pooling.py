import pytest
import torch

from tests.reference.windows import grid_window_maxima, window_maxima
from textkin.networks.nn.window_pooling import grid_window_max, window_max

pytestmark = pytest.mark.torch

LENGTHS, OTHERS = [7, 0, 1, 3, 6], [2, 4, 5, 0, 3]
MASK = torch.arange(7) < torch.tensor(LENGTHS)[:, None]
OTHER = torch.arange(5) < torch.tensor(OTHERS)[:, None]


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_windows_of_tokens_are_the_plain_loop(size):
    torch.manual_seed(0)
    states = torch.randn(5, 7, 4) - 1  # mostly negative: a maximum with padding's zeros would show
    found, mask = window_max(states, MASK, size=size)
    for row, length in enumerate(LENGTHS):
        expected = window_maxima(states[row, :length].tolist(), size)
        assert found[row, : len(expected)].tolist() == expected
        assert mask[row].tolist() == [True] * len(expected) + [False] * (-(-7 // size) - len(expected))
    assert found[~mask].abs().sum() == 0


@pytest.mark.parametrize("size", [1, 2, 3])
def test_windows_of_pairs_are_the_plain_loop(size):
    torch.manual_seed(0)
    grid = torch.randn(5, 2, 7, 5) - 1
    found, rows, columns = grid_window_max(grid, MASK, OTHER, size=size)
    for pair, (height, width) in enumerate(zip(LENGTHS, OTHERS, strict=True)):
        assert rows[pair].sum() == -(-height // size)
        assert columns[pair].sum() == -(-width // size)
        expected = torch.zeros(found.shape[1:])
        for feature in range(2):
            if height and width:
                part = torch.tensor(grid_window_maxima(grid[pair, feature, :height, :width].tolist(), size))
                expected[feature, : part.shape[0], : part.shape[1]] = part
        assert torch.equal(found[pair], expected)


def test_no_gradient_reaches_padding():
    states = torch.randn(5, 7, 4, requires_grad=True)
    grid = torch.randn(5, 2, 7, 5, requires_grad=True)
    window_max(states, MASK, size=2)[0].sum().backward()
    grid_window_max(grid, MASK, OTHER, size=2)[0].sum().backward()
    inside = (MASK.unsqueeze(2) & OTHER.unsqueeze(1)).unsqueeze(1).expand_as(grid)
    for gradient, kept in ((states.grad, MASK), (grid.grad, inside)):
        assert gradient.isfinite().all()
        assert gradient[~kept].abs().sum() == 0
        assert gradient[kept].abs().sum() > 0
