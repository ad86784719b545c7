"""Every token of one text against every token of the other."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from textkin.errors import UsageError
from textkin.nn.pooling import unit

Similarity = Literal["cosine", "dot"]


def known_similarity(how: Similarity) -> Similarity:
    """``how`` itself.

    Raises:
        UsageError: there is no similarity of that name.
    """
    if how not in ("cosine", "dot"):
        raise UsageError(f"similarity is {how!r}, expected 'cosine' or 'dot'")
    return how


def similarities(a: Tensor, b: Tensor, *, how: Similarity = "cosine") -> Tensor:
    """Cosines or dot products: [B, N, D] and [B, M, D] to [B, N, M]; zero where a vector is zero."""
    if known_similarity(how) == "cosine":
        a, b = unit(a), unit(b)
    return a @ b.transpose(1, 2)
