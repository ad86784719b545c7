import pytest
import torch

from tests.reference.matching_matrix import largest_of_cells
from tests.reference.windows import region_maxima
from textkin.networks.nn import dynamic_pooling
from textkin.networks.nn.dynamic_pooling import convolved_max_pool, dynamic_max_pool, region_max

pytestmark = pytest.mark.torch

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


@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("grid", [(3, 10), (8, 13), (1, 1)])
@pytest.mark.parametrize("block", [1, 10**9])
def test_a_convolution_is_pooled_as_its_whole_image_is(channels, grid, block, monkeypatch):
    monkeypatch.setattr(dynamic_pooling, "_BLOCK", block)
    torch.manual_seed(0)
    convolution = torch.nn.Conv2d(channels, 6, 3, padding=1).double()
    within = (torch.arange(9) < HEIGHTS[:, None])[:, None, :, None]
    within = within & (torch.arange(13) < WIDTHS[:, None])[:, None, None, :]
    image = torch.randn(5, channels, 9, 13, dtype=torch.float64) * within
    factors = torch.randn(5, 6, *grid, dtype=torch.float64)
    found = []
    for pool in (
        lambda seen: convolved_max_pool(seen, convolution, HEIGHTS, WIDTHS, grid=grid),
        lambda seen: dynamic_max_pool(convolution(seen), HEIGHTS, WIDTHS, grid=grid),
    ):
        seen = image.clone().requires_grad_()
        pooled = pool(seen)
        gradients = torch.autograd.grad((pooled * factors).sum(), [seen, *convolution.parameters()])
        found.append((pooled, *gradients))
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain)


LENGTHS = [7, 0, 1, 3, 6]
MASK = torch.arange(7) < torch.tensor(LENGTHS)[:, None]


@pytest.mark.parametrize("regions", [1, 2, 3, 5, 9])
def test_it_is_the_plain_loop(regions):
    torch.manual_seed(0)
    states = torch.randn(5, 7, 4) - 1  # mostly negative: a maximum with padding's zeros would show
    found = region_max(states, MASK, regions=regions)
    for row, length in enumerate(LENGTHS):
        tokens = states[row, :length].tolist()
        expected = region_maxima(tokens, regions) if tokens else [[0.0] * 4] * regions
        torch.testing.assert_close(found[row], torch.tensor(expected))


def test_no_gradient_reaches_padding():
    states = torch.randn(5, 7, 4, requires_grad=True)
    region_max(states, MASK, regions=3).sum().backward()
    assert states.grad.isfinite().all()
    assert states.grad[~MASK].abs().sum() == 0
    assert states.grad[MASK].abs().sum() > 0
