"""Hinge loss on classes."""

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, wrong_shapes


def categorical_hinge(
    scores: Tensor, labels: Tensor, *, margin: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """relu(margin + highest score of another class - score of the true class) of each row.

    Source: Crammer and Singer 2001.

    Args:
        scores: shape [B, C], C >= 2.
        labels: the index of each true class, int64. Shape [B].
        margin: the minimum difference between the true class and the others.
        reduction: over the B rows.

    Raises:
        UsageError: the shapes don't fit.
    """
    if scores.ndim != 2 or scores.shape[1] < 2 or labels.shape != scores.shape[:1]:
        raise wrong_shapes("[B, C] with C >= 2 and [B]", scores=scores, labels=labels)
    true = scores.gather(1, labels[:, None])
    others = scores.scatter(1, labels[:, None], -torch.inf)
    return reduced(torch.relu(margin + others.amax(dim=1) - true[:, 0]), reduction)
