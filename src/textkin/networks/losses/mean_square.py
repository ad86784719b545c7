"""Squared error on graded pairs."""

from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, same_shape


def mean_square(scores: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """(score - label)^2 of each pair.

    Args:
        scores: shape [B].
        labels: targets on the scale of the scores. Shape [B].
        reduction: over the B pairs.
    """
    same_shape(scores=scores, labels=labels)
    return reduced((scores - labels.to(scores.dtype)).square(), reduction)
