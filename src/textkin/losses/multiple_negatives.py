"""Multiple negatives ranking loss: pick the own partner among all texts of the batch."""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from textkin.errors import UsageError
from textkin.losses.common import (
    LossInput,
    Reduction,
    above_zero,
    at_least_single,
    known_reduction,
    negatives_mask,
    reduced,
)


def multiple_negatives(
    similarities: Tensor,
    allowed: Tensor | None = None,
    *,
    extra: Tensor | None = None,
    scale: float = 20.0,
    symmetric: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Cross-entropy of each row's diagonal entry against its negatives.

    Source: Henderson et al. 2017, section 4.4, with the scale of sentence-transformers.

    Args:
        similarities: [i, j] of text a_i with text b_j; the diagonal is the positives. Shape [B, B].
        allowed: which entries may be negatives; None for all off the diagonal; bool. Shape [B, B].
        extra: similarities of each a_i with further hard negatives; -inf where one is not for this row. Shape
            [B, K].
        scale: what similarities are multiplied by.
        symmetric: the mean of this loss and that of picking a_j for each b_j, which ``extra`` has no part in.
        reduction: over the B rows. A row without negatives contributes 0.
    """
    negatives = negatives_mask(similarities, allowed)
    logits = scale * at_least_single(similarities)
    kept = logits.masked_fill(~(negatives | _diagonal(negatives)), -torch.inf)
    positive = logits.diagonal()
    rivals = kept
    if extra is not None:
        if extra.ndim != 2 or len(extra) != len(similarities):
            raise UsageError(f"extra has shape {list(extra.shape)}, expected [{len(similarities)}, K]")
        rivals = torch.cat((kept, scale * extra.to(kept.dtype)), dim=1)
    losses = rivals.logsumexp(dim=1) - positive
    if symmetric:
        losses = (losses + kept.logsumexp(dim=0) - positive) / 2
    return reduced(losses, reduction)


def _diagonal(mask: Tensor) -> Tensor:
    return torch.eye(len(mask), dtype=torch.bool, device=mask.device)


@final
class MultipleNegatives(nn.Module):
    """:func:`multiple_negatives` as a module."""

    takes: ClassVar[LossInput] = LossInput.PAIR_MATRIX

    def __init__(
        self, *, scale: float = 20.0, symmetric: bool = False, reduction: Reduction = "mean"
    ) -> None:
        super().__init__()
        above_zero("scale", scale)
        known_reduction(reduction)
        self.scale = scale
        self.symmetric = symmetric
        self.reduction: Reduction = reduction

    def forward(
        self, similarities: Tensor, allowed: Tensor | None = None, extra: Tensor | None = None
    ) -> Tensor:
        """The loss of similarities [B, B] with allowed negatives [B, B] and extra negatives [B, K]."""
        return multiple_negatives(
            similarities,
            allowed,
            extra=extra,
            scale=self.scale,
            symmetric=self.symmetric,
            reduction=self.reduction,
        )
