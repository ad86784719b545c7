"""Every token of one text against every token of the other."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from textkin.errors import UsageError
from textkin.nn.pooling import unit

Similarity = Literal["cosine", "dot"]


def similarities(a: Tensor, b: Tensor, *, how: Similarity = "cosine") -> Tensor:
    """Cosines or dot products: [B, N, D] and [B, M, D] to [B, N, M]; zero where a vector is zero.

    Raises:
        UsageError: ``how`` is not known.
    """
    if how == "cosine":
        return unit(a) @ unit(b).transpose(1, 2)
    if how == "dot":
        return a @ b.transpose(1, 2)
    raise UsageError(f"similarity is {how!r}, expected 'cosine' or 'dot'")
