"""Triplet loss on negatives that are given."""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from textkin.losses.common import (
    LossInput,
    Reduction,
    above_zero,
    known_reduction,
    one_of,
    reduced,
    same_shape,
)
from textkin.losses.distances import DistanceName, distance


def triplet(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    margin: float = 0.25,
    measure: DistanceName = "cosine",
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin + d(anchor, positive) - d(anchor, negative)) of each triplet.

    Args:
        anchor: shape [T, D].
        positive: shape [T, D].
        negative: shape [T, D].
        margin: by how much the negative must be farther.
        measure: the distance d: "cosine" (1 - cosine; 1 for a zero vector) or "euclidean".
        reduction: over the T triplets.
    """
    same_shape(anchor=anchor, positive=positive, negative=negative)
    gap = distance(anchor, positive, measure) - distance(anchor, negative, measure)
    return reduced(torch.relu(margin + gap), reduction)


@final
class Triplet(nn.Module):
    """:func:`triplet` as a module."""

    takes: ClassVar[LossInput] = LossInput.TRIPLET_VECTORS

    def __init__(
        self, *, margin: float = 0.25, measure: DistanceName = "cosine", reduction: Reduction = "mean"
    ) -> None:
        super().__init__()
        above_zero("margin", margin)
        one_of("measure", measure, ("cosine", "euclidean"))
        known_reduction(reduction)
        self.margin = margin
        self.measure: DistanceName = measure
        self.reduction: Reduction = reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss of three matrices of vectors [T, D]."""
        return triplet(
            anchor, positive, negative, margin=self.margin, measure=self.measure, reduction=self.reduction
        )
