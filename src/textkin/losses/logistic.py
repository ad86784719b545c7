"""Logistic loss on labelled pairs."""

from __future__ import annotations

from typing import ClassVar, final

from torch import Tensor, nn
from torch.nn import functional

from textkin.losses.common import LossInput, Reduction, known_reduction, reduced, same_shape


def logistic(scores: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """log(1 + e^score) - label * score of each pair: the cross-entropy of the probability sigmoid(score).

    Args:
        scores: logits, any real number. Shape [B].
        labels: 1 same and 0 not, or a probability between. Shape [B].
        reduction: over the B pairs.
    """
    same_shape(scores=scores, labels=labels)
    return reduced(functional.softplus(scores) - labels.to(scores.dtype) * scores, reduction)


@final
class Logistic(nn.Module):
    """:func:`logistic` as a module."""

    takes: ClassVar[LossInput] = LossInput.PAIR_SCORES

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        super().__init__()
        known_reduction(reduction)
        self.reduction: Reduction = reduction

    def forward(self, scores: Tensor, labels: Tensor) -> Tensor:
        """The loss of scores [B] with labels [B]."""
        return logistic(scores, labels, reduction=self.reduction)
