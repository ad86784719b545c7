import pytest
import torch

from tests.reference.matching_matrix import largest_of_cells
from textkin.nn.dynamic_pooling import dynamic_max_pool

HEIGHTS = torch.tensor([7, 1, 3, 0, 5])
WIDTHS = torch.tensor([11, 2, 10, 4, 0])


@pytest.mark.parametrize("grid", [(3, 10), (1, 1), (8, 13), (2, 3)])
@pytest.mark.parametrize("more", [0, 4])
def test_cells_are_those_of_the_plain_loop(grid, more):
    values = torch.randn(5, 3, 7 + more, 11 + more) - 3  # negative: a maximum with zeros would show
    expected = [
        [
            largest_of_cells(
                [row[:width] for row in image[:height]] if width else [], height=grid[0], width=grid[1]
            )
            for image in images
        ]
        for images, height, width in zip(values.tolist(), HEIGHTS.tolist(), WIDTHS.tolist(), strict=True)
    ]
    assert torch.equal(dynamic_max_pool(values, HEIGHTS, WIDTHS, grid=grid), torch.tensor(expected))


def test_the_gradient_goes_to_the_maxima_of_the_rectangle():
    values = torch.randn(5, 3, 9, 13, requires_grad=True)
    pooled = dynamic_max_pool(values, HEIGHTS, WIDTHS, grid=(2, 3))
    pooled.sum().backward()
    for row, (height, width) in enumerate(zip(HEIGHTS.tolist(), WIDTHS.tolist(), strict=True)):
        cells = 6 if height and width else 0
        assert values.grad[row].sum() == 3 * cells
        assert values.grad[row, :, :height, :width].sum() == 3 * cells
    hit = values.grad > 0
    assert set(values[hit].tolist()) == set(pooled[pooled != 0].tolist())
