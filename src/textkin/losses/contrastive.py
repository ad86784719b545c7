"""Contrastive loss on labelled pairs."""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from textkin.losses.common import LossInput, Reduction, above_zero, known_reduction, reduced, same_shape


def contrastive(
    distances: Tensor, labels: Tensor, *, margin: float = 0.5, reduction: Reduction = "mean"
) -> Tensor:
    """(y d^2 + (1 - y) relu(margin - d)^2) / 2 of each pair.

    Source: Hadsell, Chopra and LeCun 2006, equation 4, with the margin of sentence-transformers for distances
    of 1 - cosine.

    Args:
        distances: d of each pair. Shape [B].
        labels: y, 1 same and 0 not. Shape [B].
        margin: negatives farther apart than this contribute nothing.
        reduction: over the B pairs.
    """
    same_shape(distances=distances, labels=labels)
    labels = labels.to(distances.dtype)
    apart = torch.relu(margin - distances)
    return reduced((labels * distances.square() + (1 - labels) * apart.square()) / 2, reduction)


@final
class Contrastive(nn.Module):
    """:func:`contrastive` as a module."""

    takes: ClassVar[LossInput] = LossInput.PAIR_DISTANCES

    def __init__(self, *, margin: float = 0.5, reduction: Reduction = "mean") -> None:
        super().__init__()
        above_zero("margin", margin)
        known_reduction(reduction)
        self.margin = margin
        self.reduction: Reduction = reduction

    def forward(self, distances: Tensor, labels: Tensor) -> Tensor:
        """The loss of distances [B] with labels [B]."""
        return contrastive(distances, labels, margin=self.margin, reduction=self.reduction)
