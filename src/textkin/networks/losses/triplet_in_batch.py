"""Triplet loss whose negatives are the other texts of the batch."""

from typing import Literal

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, at_least_single, negatives_mask, reduced

ClosestRule = Literal["below-positive", "row-max"]


def triplet_in_batch(
    similarities: Tensor,
    allowed: Tensor | None = None,
    first: int = 0,
    *,
    margin: float = 0.25,
    closest: ClosestRule = "below-positive",
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin - positive + closest negative) + relu(margin - positive + mean negative) of each row.

    Source: the Siamese network of Coursera's "Natural Language Processing with Sequence Models". It teaches
    two rules for the closest negative, which differ if a negative outranks the positive.

    Args:
        similarities: similarities of R texts with all M texts of a batch. Shape [R, M].
        allowed: a mask of possible negatives; None for all but the positives; bool. Shape [R, M].
        first: the column of the first row's positive; it increases by one per row.
        margin: the minimum difference in similarity.
        closest: "row-max", the most similar negative, or "below-positive", the most similar of those that
            don't outrank the positive, which keeps a mislabelled duplicate from dominating the row. Without
            one, that term is 0.
        reduction: over the R rows. A row without negatives contributes 0.
    """
    similarities = at_least_single(similarities)
    negatives = negatives_mask(similarities, allowed, first=first)
    positive = similarities.diagonal(first)[: len(similarities)]
    eligible = negatives if closest == "row-max" else negatives & (similarities <= positive[:, None])
    nearest = similarities.masked_fill(~eligible, -torch.inf).amax(dim=1) if len(positive) else positive
    count = negatives.sum(dim=1)
    mean = similarities.masked_fill(~negatives, 0.0).sum(dim=1) / count.clamp(min=1)
    mean_term = torch.relu(margin - positive + mean).masked_fill(count == 0, 0.0)
    return reduced(torch.relu(margin - positive + nearest) + mean_term, reduction)
