"""Losses whose negatives are the batch's other texts, computed in chunks if memory is short."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from textkin.networks.losses.loss import Loss


def in_batch(
    loss: Loss,
    a: Tensor,
    b: Tensor,
    allowed: Tensor | None = None,
    *,
    symmetric: bool = False,
    rows: int | None = None,
) -> Tensor:
    """Apply a loss over rows to each first text against all second ones.

    Args:
        loss: a loss that takes ``LossInput.ROWS``.
        a: unit vectors of the first texts. Shape [B, D].
        b: unit vectors of their positives, then of hard negatives, which belong to no row. Shape [M, D], M >=
            B.
        allowed: a mask of second texts that may be negatives of each first one; None for all. Shape [B, M].
        symmetric: average with the loss of each positive against all first texts, without hard negatives.
        rows: the number of rows of the matrix [B, M] in memory at a time, recomputed for the gradient; None
            for all.
    """
    there = _by_rows(loss, a, b, allowed, rows)
    if not symmetric:
        return there
    count = len(a)
    back = _by_rows(loss, b[:count], a, None if allowed is None else allowed[:, :count].T, rows)
    return (there + back) / 2


def _by_rows(loss: Loss, a: Tensor, b: Tensor, allowed: Tensor | None, rows: int | None) -> Tensor:
    if rows is None or len(a) <= rows:
        return loss(a @ b.T, allowed)

    def part(start: int, some: Tensor) -> Tensor:
        negatives = None if allowed is None else allowed[start : start + rows]
        return loss(some @ b.T, negatives, start) * (len(some) / len(a) if loss.averages else 1.0)

    # Losses aren't random, so there is no random state to keep.
    parts = [
        checkpoint(part, at * rows, some, use_reentrant=False, preserve_rng_state=False)
        for at, some in enumerate(torch.split(a, rows))
    ]
    return torch.stack(parts).sum()
