"""ARC-II."""

import pytest
import torch

from tests.networks.architectures.arc import decided
from tests.networks.architectures.matching import check, matcher, vectors
from tests.reference.windows import grid_region_maxima, grid_window_maxima, window_grid
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "options",
    [
        {"filters": [3], "regions": [2, 3]},
        {"filters": [2, 3], "regions": [3, 2], "pool": 2, "hidden": [5, 4], "outputs": 3},
        {"filters": [2, 2, 3], "regions": [1, 1], "pool": 2, "width": 2, "grid_width": 1, "hidden": []},
    ],
)
def test_it_is_the_plain_loop(options):
    model = matcher("arc-ii", **options)
    halves = [
        part.weight.transpose(1, 2).flatten(1).tolist() for part in (model.meet.over_a, model.meet.over_b)
    ]
    bias, width = model.meet.over_a.bias.tolist(), options.get("width", 3)

    def score(a, b):
        grid = window_grid(vectors(model, a), vectors(model, b), *halves, bias, width)
        for convolution in model.convolutions:
            pooled = torch.tensor([grid_window_maxima(rows, options["pool"]) for rows in grid])
            around = convolution.padding[0]
            grid = torch.conv2d(pooled.unsqueeze(0), convolution.weight, convolution.bias, padding=around)
            grid = grid[0].relu().tolist()
        cells = [grid_region_maxima(rows, options["regions"]) for rows in grid]
        return decided(model, [value for rows in cells for row in rows for value in row])

    with torch.no_grad():
        check(model, score)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("arc-ii", {"filters": []}, r"filters is \[\]"),
        ("arc-ii", {"grid_width": 2}, "grid_width=2"),
        ("arc-ii", {"regions": [3]}, r"regions=\[3\]"),
        ("arc-ii", {"regions": [3, 0]}, r"regions is \[3, 0\]"),
    ],
)
def test_impossible_options_are_named(name, options, words):
    with pytest.raises(ConfigError, match=words):
        matcher(name, **options)
