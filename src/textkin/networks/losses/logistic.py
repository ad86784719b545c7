"""Logistic loss on labelled pairs."""

from torch import Tensor
from torch.nn import functional

from textkin.networks.losses.common import Reduction, reduced, same_shape


def logistic(scores: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """log(1 + e^score) - label * score of each pair: the cross-entropy of the probability sigmoid(score).

    Args:
        scores: logits, any real number. Shape [B].
        labels: 1 same and 0 not, or a probability between. Shape [B].
        reduction: over the B pairs.
    """
    same_shape(scores=scores, labels=labels)
    return reduced(functional.softplus(scores) - labels.to(scores.dtype) * scores, reduction)
