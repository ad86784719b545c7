"""Hinge loss on labelled pairs."""

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, same_shape


def hinge(scores: Tensor, labels: Tensor, *, margin: float = 1.0, reduction: Reduction = "mean") -> Tensor:
    """relu(margin - y score) of each pair, y = 1 for label 1 and -1 for label 0.

    Args:
        scores: shape [B].
        labels: 1 same and 0 not. Shape [B].
        margin: the minimum distance of a score from 0, on its side.
        reduction: over the B pairs.
    """
    same_shape(scores=scores, labels=labels)
    return reduced(torch.relu(margin - (2 * labels.to(scores.dtype) - 1) * scores), reduction)
