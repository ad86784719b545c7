"""ARC-I and ARC-II."""

import pytest
import torch

from tests.models.matching import check, matcher, values, vectors
from tests.reference.matching_matrix import layer
from tests.reference.nn import convolved
from tests.reference.windows import (
    grid_region_maxima,
    grid_window_maxima,
    region_maxima,
    window_grid,
    window_maxima,
)
from textkin.errors import ConfigError


def decided(model, features):
    for part in model.decide:
        if isinstance(part, torch.nn.Linear):
            features = layer(*values(part), features)
        elif isinstance(part, torch.nn.ReLU):
            features = [max(0.0, value) for value in features]
    return features


@pytest.mark.parametrize(
    "options",
    [
        {"filters": [3], "regions": 2},
        {"filters": [3, 4], "regions": 3, "pool": 2, "hidden": [5, 4], "outputs": 3},
        {"filters": [3, 4, 2], "regions": 1, "pool": 3, "width": 2, "hidden": []},
    ],
)
def test_arc_i_is_the_plain_loop(options):
    model = matcher("arc-i", **options)

    def vector(text):
        states = vectors(model, text)
        for number, convolution in enumerate(model.convolutions):
            if number:
                states = window_maxima(states, options["pool"])
            states = convolved(states, *values(convolution.convolutions[0]))
        return [value for region in region_maxima(states, options["regions"]) for value in region]

    check(model, lambda a, b: decided(model, vector(a) + vector(b)))


@pytest.mark.parametrize(
    "options",
    [
        {"filters": [3], "regions": [2, 3]},
        {"filters": [2, 3], "regions": [3, 2], "pool": 2, "hidden": [5, 4], "outputs": 3},
        {"filters": [2, 2, 3], "regions": [1, 1], "pool": 2, "width": 2, "grid_width": 1, "hidden": []},
    ],
)
def test_arc_ii_is_the_plain_loop(options):
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
        ("arc-i", {"filters": []}, r"filters is \[\]"),
        ("arc-i", {"pool": 0}, "pool is 0"),
        ("arc-i", {"regions": 0}, "regions is 0"),
        ("arc-ii", {"filters": []}, r"filters is \[\]"),
        ("arc-ii", {"grid_width": 2}, "grid_width=2"),
        ("arc-ii", {"regions": [3]}, r"regions=\[3\]"),
        ("arc-ii", {"regions": [3, 0]}, r"regions is \[3, 0\]"),
    ],
)
def test_impossible_options_are_named(name, options, words):
    with pytest.raises(ConfigError, match=words):
        matcher(name, **options)
