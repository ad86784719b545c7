"""Masks of pairs of texts, and a softmax that excludes padding.

Shapes: B pairs, N tokens of the first text, M of the second.
"""

import torch
from torch import Tensor


def pair_mask(a: Tensor, b: Tensor) -> Tensor:
    """True if both texts have a token: masks [B, N] and [B, M] to [B, N, M]."""
    return a.unsqueeze(2) & b.unsqueeze(1)


def masked_softmax(scores: Tensor, mask: Tensor, *, dim: int = -1) -> Tensor:
    """Softmax over the entries in ``mask``; zeros elsewhere, and everywhere if it is empty.

    Args:
        scores: finite numbers of any shape.
        mask: bool, of a shape that broadcasts to that of the scores.
        dim: the axis that sums to one.
    """
    kept = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return kept.softmax(dim).masked_fill(~mask, 0.0)
