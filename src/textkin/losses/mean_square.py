"""Squared error on graded pairs."""

from __future__ import annotations

from typing import ClassVar, final

from torch import Tensor, nn

from textkin.losses.common import LossInput, Reduction, known_reduction, reduced, same_shape


def mean_square(scores: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """(score - label)^2 of each pair.

    Args:
        scores: shape [B].
        labels: on the scale of the scores. Shape [B].
        reduction: over the B pairs.
    """
    same_shape(scores=scores, labels=labels)
    return reduced((scores - labels.to(scores.dtype)).square(), reduction)


@final
class MeanSquare(nn.Module):
    """:func:`mean_square` as a module."""

    takes: ClassVar[LossInput] = LossInput.PAIR_SCORES

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        super().__init__()
        known_reduction(reduction)
        self.reduction: Reduction = reduction

    def forward(self, scores: Tensor, labels: Tensor) -> Tensor:
        """The loss of scores [B] with labels [B]."""
        return mean_square(scores, labels, reduction=self.reduction)
