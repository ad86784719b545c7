"""Contrastive loss on the hard pairs of a batch only."""

from typing import Literal

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, same_shape

PairRule = Literal["version-6", "version-5"]


def online_contrastive(
    distances: Tensor,
    labels: Tensor,
    *,
    margin: float = 0.5,
    rule: PairRule = "version-6",
    reduction: Reduction = "sum",
) -> Tensor:
    """d^2 of each hard positive, relu(margin - d)^2 of each hard negative.

    A negative is hard if it is nearer than the farthest positive, a positive if it is farther than the
    nearest negative. If the other class is missing, the mean distance of the own class is used instead.
    Source: OnlineContrastiveLoss of sentence-transformers. Its version 6 needs only one pair of the other
    class; earlier versions used the mean for a class of one pair, too.

    Args:
        distances: d of each pair. Shape [B].
        labels: 1 same and 0 not. Shape [B].
        margin: negatives farther apart than this contribute nothing.
        rule: the rule of sentence-transformers' version 6, or of its versions up to 5.
        reduction: "sum" as published, or "mean" over all B pairs, hard or not.
    """
    same_shape(distances=distances, labels=labels)
    if distances.numel() == 0:
        return reduced(distances, reduction)
    positive = labels > 0.5
    least = 1 if rule == "version-6" else 2
    hard_positive, hard_negative = _hard(distances.detach(), positive, least=least)
    apart = torch.relu(margin - distances)
    squares = torch.where(positive, distances.square(), apart.square())
    return reduced(squares.masked_fill(~(hard_positive | hard_negative), 0.0), reduction)


def _hard(distances: Tensor, positive: Tensor, *, least: int) -> tuple[Tensor, Tensor]:
    """Masks of hard positives and of hard negatives, bool. Shapes [B] and [B].

    A class with fewer than ``least`` pairs doesn't define hardness in the other.
    """
    negative = ~positive
    farthest = distances.masked_fill(negative, -torch.inf).amax()
    nearest = distances.masked_fill(positive, torch.inf).amin()
    bar = torch.where(negative.sum() >= least, nearest, _mean(distances, positive))
    ceiling = torch.where(positive.sum() >= least, farthest, _mean(distances, negative))
    return positive & (distances > bar), negative & (distances < ceiling)


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    return values.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
