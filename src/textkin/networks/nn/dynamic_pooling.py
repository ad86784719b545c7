"""Max pooling of a rectangle of any size to a fixed grid.

Source: Pang et al. 2016, "Text Matching as Image Recognition" (MatchPyramid); before them Socher et al. 2011,
"Dynamic Pooling and Unfolding Recursive Autoencoders for Paraphrase Detection".

Shapes: B pairs, C channels, N and M the padded sides, R and S cells along them, V and W places in a cell.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

_BLOCK = 500_000  # numbers processed together, few enough for a core's own cache


def dynamic_max_pool(values: Tensor, heights: Tensor, widths: Tensor, *, grid: tuple[int, int]) -> Tensor:
    """The largest value of each cell of a grid over each pair's own rectangle.

    Cell r of R along a side of n positions extends from floor(r n / R) to floor((r + 1) n / R), exclusive,
    and has at least one position: if there are fewer positions than cells, cells share them. An empty
    rectangle gives zeros.

    Args:
        values: shape [B, C, N, M].
        heights: valid positions along N, int64. Shape [B].
        widths: the same along M. Shape [B].
        grid: R and S.

    Returns:
        Shape [B, C, R, S].
    """
    pairs, channels = values.shape[:2]
    places, window = _cells(values, heights, widths, grid=grid)
    by_place = values.permute(0, 2, 3, 1).flatten(1, 2)
    with torch.no_grad():
        # If all cells have one size, a common pooling finds the positions of maxima; only these have
        # gradients.
        first = torch.arange(pairs, device=values.device).unsqueeze(1) * by_place.shape[1]
        even = functional.embedding(places.flatten(1) + first, by_place.flatten(0, 1))
        best = _largest(even.view(*places.shape, channels), places, window)
    pooled = by_place.gather(1, best).transpose(1, 2).reshape(pairs, channels, *grid)
    return _without_empty(pooled, heights, widths)


def convolved_max_pool(
    image: Tensor, convolution: nn.Conv2d, heights: Tensor, widths: Tensor, *, grid: tuple[int, int]
) -> Tensor:
    """:func:`dynamic_max_pool` of a convolved image.

    With one channel there is little to multiply, and most of the time goes into copying the output. So the
    positions of maxima are found a few pairs at a time and without gradients. Only these positions are then
    convolved once more, with gradients. An image with several channels is convolved as a whole.

    Args:
        image: shape [B, K, N, M], zero beyond the rectangles.
        convolution: a square convolution from K to C channels, of odd width, preserving N and M.
        heights: as in :func:`dynamic_max_pool`.
        widths: as in :func:`dynamic_max_pool`.
        grid: R and S.

    Returns:
        Shape [B, C, R, S].
    """
    if image.shape[1] > 1:
        whole = convolution(image.contiguous(memory_format=torch.channels_last))
        return dynamic_max_pool(whole, heights, widths, grid=grid)
    width = convolution.kernel_size[0]
    framed = functional.pad(image[:, 0], (width // 2,) * 4)
    along = torch.arange(width, device=image.device)
    # In the frame, a patch begins at the row and column that its centre has in the image.
    patch = (along.unsqueeze(1) * framed.shape[2] + along).flatten()
    starts, window = _cells(image, heights, widths, grid=grid, columns=framed.shape[2])
    flat, weight, bias = framed.flatten(1), convolution.weight.flatten(1), convolution.bias
    together = max(1, _BLOCK // (starts[0].numel() * max(weight.shape)))
    with torch.no_grad():
        best = torch.cat(
            [
                _largest(functional.linear(_patches(some, places, patch), weight, bias), places, window)
                for some, places in zip(
                    torch.split(flat, together), torch.split(starts, together), strict=True
                )
            ]
        )
    pooled = torch.einsum("bpcx,cx->bcp", _patches(flat, best, patch), weight)
    if bias is not None:
        pooled = pooled + bias.unsqueeze(1)
    return _without_empty(pooled.reshape(*pooled.shape[:2], *grid), heights, widths)


def _patches(flat: Tensor, starts: Tensor, patch: Tensor) -> Tensor:
    """The inputs of a convolution: images [B, places], starts [B, *, *] and patch [X] to [B, *, *, X]."""
    index = starts.unsqueeze(3) + patch
    return flat.gather(1, index.flatten(1)).view_as(index)


def _largest(even: Tensor, places: Tensor, window: tuple[int, int]) -> Tensor:
    """The positions of the maxima of equal cells: [B, R x V, S x W, C] and places to [B, R x S, C]."""
    found = functional.max_pool2d(even.permute(0, 3, 1, 2), window, return_indices=True)[1]
    found = found.flatten(2).transpose(1, 2)
    return places.flatten(1).unsqueeze(2).expand(-1, -1, found.shape[2]).gather(1, found)


def _without_empty(pooled: Tensor, heights: Tensor, widths: Tensor) -> Tensor:
    return pooled.masked_fill(((heights == 0) | (widths == 0)).view(-1, 1, 1, 1), 0)


def _cells(
    image: Tensor, heights: Tensor, widths: Tensor, *, grid: tuple[int, int], columns: int | None = None
) -> tuple[Tensor, tuple[int, int]]:
    """Positions of all cells, row by row, for a number of columns: [B, R x V, S x W], and V and W."""
    rows_of = _places(heights, cells=grid[0], side=image.shape[2])
    columns_of = _places(widths, cells=grid[1], side=image.shape[3])
    places = rows_of.unsqueeze(2) * (columns or image.shape[3]) + columns_of.unsqueeze(1)
    return places, (rows_of.shape[1] // grid[0], columns_of.shape[1] // grid[1])


def _places(lengths: Tensor, *, cells: int, side: int) -> Tensor:
    """The positions of every cell, padded to the largest by its last one: [B, cells x places]."""
    edges = torch.arange(cells + 1, device=lengths.device) * lengths.unsqueeze(1) // cells
    starts = edges[:, :-1]
    last = torch.maximum(edges[:, 1:] - 1, starts).clamp(max=side - 1)
    offsets = torch.arange(-(-side // cells), device=lengths.device)
    return torch.minimum(starts.unsqueeze(2) + offsets, last.unsqueeze(2)).flatten(1)


def region_max(states: Tensor, mask: Tensor, *, regions: int) -> Tensor:
    """The largest value in each of R parts of a text: states [B, L, F] and mask [B, L] to [B, R, F].

    Parts have the bounds of :func:`textkin.networks.nn.dynamic_pooling.dynamic_max_pool`; a text without
    tokens gives zeros.
    """
    lengths = mask.sum(dim=1)
    rows = states.transpose(1, 2).unsqueeze(2)
    pooled = dynamic_max_pool(rows, torch.ones_like(lengths), lengths, grid=(1, regions))
    return pooled.squeeze(2).transpose(1, 2)
