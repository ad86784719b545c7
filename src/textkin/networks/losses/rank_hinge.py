"""Hinge loss on the order of a relevant and an irrelevant candidate."""

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, wrong_shapes


def rank_hinge(
    positive: Tensor, negative: Tensor, *, margin: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """relu(margin - score of the positive + mean score of its negatives) of each positive.

    Source: MatchZoo's RankHingeLoss.

    Args:
        positive: scores of the relevant candidates. Shape [T].
        negative: scores of the irrelevant ones, one or K for each; K = 0 contributes 0. Shape [T] or [T, K].
        margin: the minimum difference between the relevant one and the others.
        reduction: over the T positives.

    Raises:
        UsageError: the shapes don't fit.
    """
    if positive.ndim != 1 or negative.ndim not in (1, 2) or len(negative) != len(positive):
        raise wrong_shapes("[T] and [T] or [T, K]", positive=positive, negative=negative)
    if negative.ndim == 1:
        negative = negative[:, None]
    if negative.shape[1] == 0:
        return reduced(positive * 0.0, reduction)
    return reduced(torch.relu(margin - positive + negative.mean(dim=1)), reduction)
