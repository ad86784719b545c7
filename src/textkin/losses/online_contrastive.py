"""Contrastive loss on the hard pairs of a batch only."""

from __future__ import annotations

import torch
from torch import Tensor

from textkin.losses.common import Reduction, reduced, same_shape


def online_contrastive(
    distances: Tensor, labels: Tensor, *, margin: float = 0.5, reduction: Reduction = "sum"
) -> Tensor:
    """d^2 of each hard positive, relu(margin - d)^2 of each hard negative.

    A negative is hard when it is nearer than the farthest positive, a positive when it is farther than the
    nearest negative. Source: sentence-transformers' OnlineContrastiveLoss. Where the other class has fewer
    than two pairs, the mean distance of the own class stands in, and pairs at that mean count as hard. There
    the published rule leaves them out, so that a lone pair, which is its own mean, is never learned from.

    Args:
        distances: d of each pair. Shape [B].
        labels: 1 same and 0 not. Shape [B].
        margin: negatives farther apart than this contribute nothing.
        reduction: "sum" as published, or "mean" over all B pairs, hard or not.
    """
    same_shape(distances=distances, labels=labels)
    if distances.numel() == 0:
        return reduced(distances, reduction)
    positive = labels > 0.5
    hard_positive, hard_negative = _hard(distances.detach(), positive)
    apart = torch.relu(margin - distances)
    squares = torch.where(positive, distances.square(), apart.square())
    return reduced(squares.masked_fill(~(hard_positive | hard_negative), 0.0), reduction)


def _hard(distances: Tensor, positive: Tensor) -> tuple[Tensor, Tensor]:
    """Which pairs are hard positives and which are hard negatives, bool. Shapes [B] and [B]."""
    negative = ~positive
    farthest = distances.masked_fill(negative, -torch.inf).amax()
    nearest = distances.masked_fill(positive, torch.inf).amin()
    far = torch.where(negative.sum() > 1, distances > nearest, distances >= _mean(distances, positive))
    near = torch.where(positive.sum() > 1, distances < farthest, distances <= _mean(distances, negative))
    return positive & far, negative & near


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    return values.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
