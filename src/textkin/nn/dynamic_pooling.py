"""Any rectangle to one of fixed size, by maxima over cells that divide its true height and width.

Source: Pang et al. 2016, "Text Matching as Image Recognition" (MatchPyramid); before them Socher et al. 2011,
"Dynamic Pooling and Unfolding Recursive Autoencoders for Paraphrase Detection".

Shapes: B pairs, C channels, N and M the padded sides, R and S cells along them, V and W places in a cell.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def dynamic_max_pool(values: Tensor, heights: Tensor, widths: Tensor, *, grid: tuple[int, int]) -> Tensor:
    """The largest value of each cell of a grid over each pair's own rectangle.

    Cell r of R along a side of n places goes from floor(r n / R) up to floor((r + 1) n / R), and has one
    place at least: where there are fewer places than cells, cells share them. An empty rectangle gives zeros.

    Args:
        values: shape [B, C, N, M].
        heights: places that count along N, int64. Shape [B].
        widths: the same along M. Shape [B].
        grid: R and S.

    Returns:
        Shape [B, C, R, S].
    """
    pairs, channels, _, columns = values.shape
    rows_of = _places(heights, cells=grid[0], side=values.shape[2])
    columns_of = _places(widths, cells=grid[1], side=columns)
    places = (rows_of.unsqueeze(2) * columns + columns_of.unsqueeze(1)).flatten(1)
    by_place = values.permute(0, 2, 3, 1).flatten(1, 2)
    with torch.no_grad():
        # With all cells of one size, a common pooling finds where the maxima are; gradients go there alone.
        first = torch.arange(pairs, device=values.device).unsqueeze(1) * by_place.shape[1]
        even = functional.embedding(places + first, by_place.flatten(0, 1))
        even = even.view(pairs, rows_of.shape[1], -1, channels).permute(0, 3, 1, 2)
        window = (rows_of.shape[1] // grid[0], columns_of.shape[1] // grid[1])
        found = functional.max_pool2d(even, window, return_indices=True)[1].flatten(2).transpose(1, 2)
        best = places.unsqueeze(2).expand(-1, -1, channels).gather(1, found)
    pooled = by_place.gather(1, best).transpose(1, 2).reshape(pairs, channels, *grid)
    return pooled.masked_fill(((heights == 0) | (widths == 0)).view(-1, 1, 1, 1), 0)


def _places(lengths: Tensor, *, cells: int, side: int) -> Tensor:
    """The places of every cell, as many as the largest has, its last one repeated: [B, cells x places]."""
    edges = torch.arange(cells + 1, device=lengths.device) * lengths.unsqueeze(1) // cells
    starts = edges[:, :-1]
    last = torch.maximum(edges[:, 1:] - 1, starts).clamp(max=side - 1)
    offsets = torch.arange(-(-side // cells), device=lengths.device)
    return torch.minimum(starts.unsqueeze(2) + offsets, last.unsqueeze(2)).flatten(1)
