"""Masks of pairs of texts, and softmax that gives padding no share.

Shapes: B pairs, N tokens of the first text, M of the second.
"""

from __future__ import annotations

import torch
from torch import Tensor


def pair_mask(a: Tensor, b: Tensor) -> Tensor:
    """Where both texts have a token: masks [B, N] and [B, M] to [B, N, M]."""
    return a.unsqueeze(2) & b.unsqueeze(1)


def masked_softmax(scores: Tensor, mask: Tensor, *, dim: int = -1) -> Tensor:
    """Softmax over what ``mask`` keeps; zeros elsewhere, and everywhere if it keeps nothing.

    Args:
        scores: finite numbers of any shape.
        mask: bool, of a shape that broadcasts to that of the scores.
        dim: what sums to one.
    """
    kept = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return kept.softmax(dim).masked_fill(~mask, 0.0)
