"""Hinge loss on labelled pairs."""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from textkin.losses.common import LossInput, Reduction, above_zero, known_reduction, reduced, same_shape


def hinge(scores: Tensor, labels: Tensor, *, margin: float = 1.0, reduction: Reduction = "mean") -> Tensor:
    """relu(margin - y score) of each pair, y = 1 for label 1 and -1 for label 0.

    Args:
        scores: shape [B].
        labels: 1 same and 0 not. Shape [B].
        margin: by how much a score must be on its side of 0.
        reduction: over the B pairs.
    """
    same_shape(scores=scores, labels=labels)
    return reduced(torch.relu(margin - (2 * labels.to(scores.dtype) - 1) * scores), reduction)


@final
class Hinge(nn.Module):
    """:func:`hinge` as a module."""

    takes: ClassVar[LossInput] = LossInput.PAIR_SCORES

    def __init__(self, *, margin: float = 1.0, reduction: Reduction = "mean") -> None:
        super().__init__()
        above_zero("margin", margin)
        known_reduction(reduction)
        self.margin = margin
        self.reduction: Reduction = reduction

    def forward(self, scores: Tensor, labels: Tensor) -> Tensor:
        """The loss of scores [B] with labels [B]."""
        return hinge(scores, labels, margin=self.margin, reduction=self.reduction)
