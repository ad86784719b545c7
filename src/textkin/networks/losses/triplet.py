"""Triplet loss on given negatives."""

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, same_shape
from textkin.networks.losses.distances import DistanceName, distance


def triplet(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    margin: float = 0.25,
    measure: DistanceName = "cosine",
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin + d(anchor, positive) - d(anchor, negative)) of each triplet.

    Args:
        anchor: shape [T, D].
        positive: shape [T, D].
        negative: shape [T, D].
        margin: the minimum difference in distance.
        measure: the distance d: "cosine" (1 - cosine; 1 for a zero vector), "euclidean" or "manhattan".
        reduction: over the T triplets.
    """
    same_shape(anchor=anchor, positive=positive, negative=negative)
    gap = distance(anchor, positive, measure) - distance(anchor, negative, measure)
    return reduced(torch.relu(margin + gap), reduction)
