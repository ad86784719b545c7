"""Similarities of all token pairs of two texts."""

from typing import Literal

import torch
from torch import Tensor

from textkin.base.errors import wrong_setting

Similarity = Literal["cosine", "dot"]


def known_similarity(how: Similarity) -> Similarity:
    """Return ``how`` after checking it.

    Raises:
        UsageError: there is no such similarity.
    """
    if how not in ("cosine", "dot"):
        raise wrong_setting("similarity", how, expected="'cosine' or 'dot'")
    return how


def similarities(a: Tensor, b: Tensor, *, how: Similarity = "cosine") -> Tensor:
    """Cosines or dot products: [B, N, D] and [B, M, D] to [B, N, M]; zero for a zero vector.

    Half precision, too coarse for cosines, becomes float32.
    """
    if known_similarity(how) == "dot":
        return a @ b.transpose(1, 2)
    precise = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(precise), b.to(precise)
    # Products are divided, not vectors, which would require many passes over D forward and backward.
    return (a @ b.transpose(1, 2)) * _inverse_norms(a).unsqueeze(2) * _inverse_norms(b).unsqueeze(1)


def _inverse_norms(vectors: Tensor) -> Tensor:
    norms: Tensor = vectors.norm(dim=-1)
    # The square of anything smaller underflows.
    zero = norms < torch.finfo(vectors.dtype).tiny ** 0.5
    return norms.masked_fill(zero, 1).reciprocal().masked_fill(zero, 0)
