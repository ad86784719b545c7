"""Triplet loss whose negatives are the other texts of the batch."""

from __future__ import annotations

from typing import ClassVar, Literal, final

import torch
from torch import Tensor, nn

from textkin.losses.common import (
    LossInput,
    Reduction,
    above_zero,
    at_least_single,
    known_reduction,
    negatives_mask,
    one_of,
    reduced,
)

ClosestRule = Literal["below-positive", "row-max"]


def triplet_in_batch(
    similarities: Tensor,
    allowed: Tensor | None = None,
    *,
    margin: float = 0.25,
    closest: ClosestRule = "below-positive",
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin - positive + closest negative) + relu(margin - positive + mean negative) of each row.

    Source: the Siamese network of Coursera's "Natural Language Processing with Sequence Models". It teaches
    two rules for the closest negative, which differ where a negative outranks the positive.

    Args:
        similarities: [i, j] of text a_i with text b_j; the diagonal is the positives. Shape [B, B].
        allowed: which entries may be negatives; None for all off the diagonal; bool. Shape [B, B].
        margin: by how much a positive must outrank.
        closest: "row-max", the most similar negative, or "below-positive", the most similar of those that
            don't outrank the positive, which keeps a mislabelled twin from ruling the row. Without one, that
            term is 0.
        reduction: over the B rows. A row without negatives contributes 0.
    """
    similarities = at_least_single(similarities)
    negatives = negatives_mask(similarities, allowed)
    positive = similarities.diagonal()
    eligible = negatives if closest == "row-max" else negatives & (similarities <= positive[:, None])
    nearest = similarities.masked_fill(~eligible, -torch.inf).amax(dim=1) if len(positive) else positive
    count = negatives.sum(dim=1)
    mean = similarities.masked_fill(~negatives, 0.0).sum(dim=1) / count.clamp(min=1)
    mean_term = torch.relu(margin - positive + mean).masked_fill(count == 0, 0.0)
    return reduced(torch.relu(margin - positive + nearest) + mean_term, reduction)


@final
class TripletInBatch(nn.Module):
    """:func:`triplet_in_batch` as a module."""

    takes: ClassVar[LossInput] = LossInput.PAIR_MATRIX

    def __init__(
        self,
        *,
        margin: float = 0.25,
        closest: ClosestRule = "below-positive",
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__()
        above_zero("margin", margin)
        one_of("closest", closest, ("below-positive", "row-max"))
        known_reduction(reduction)
        self.margin = margin
        self.closest: ClosestRule = closest
        self.reduction: Reduction = reduction

    def forward(self, similarities: Tensor, allowed: Tensor | None = None) -> Tensor:
        """The loss of similarities [B, B] with allowed negatives [B, B]."""
        return triplet_in_batch(
            similarities, allowed, margin=self.margin, closest=self.closest, reduction=self.reduction
        )
