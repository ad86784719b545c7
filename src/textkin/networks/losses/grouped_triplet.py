"""Triplet losses on texts with groups: all triplets of a batch, or the hardest one of each text."""

import torch
from torch import Tensor
from torch.nn import functional

from textkin.networks.losses.common import Reduction, at_least_single, reduced, wrong_shapes
from textkin.networks.losses.distances import DistanceName, distances_within


def batch_all_triplet(
    vectors: Tensor,
    groups: Tensor,
    *,
    margin: float = 0.25,
    measure: DistanceName = "cosine",
    soft: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin + d(anchor, positive) - d(anchor, negative)) of every triplet of a batch.

    Source: Hermans, Beyer and Leibe 2017, section 2, "batch all" with the mean over non-zero terms.

    Args:
        vectors: shape [B, D].
        groups: the group of each text; texts of one group are positives of each other. Shape [B].
        margin: the minimum difference in distance.
        measure: the distance d; see :func:`textkin.networks.losses.triplet.triplet`.
        soft: log(1 + e^gap) instead of relu(margin + gap).
        reduction: over the triplets with a nonzero loss.
    """
    distances, same = _compared(vectors, groups, measure)
    anchors, positives = (same & ~_self(same)).nonzero(as_tuple=True)
    # Not distances[anchors]: threads would sum the gradient in any order.
    rows = functional.embedding(anchors, distances)
    gaps = rows.gather(1, positives[:, None]) - rows
    losses = _lost(gaps, margin, soft=soft)[functional.embedding(anchors, same.float()) == 0]
    return reduced(losses[losses > 0], reduction)


def batch_hard_triplet(
    vectors: Tensor,
    groups: Tensor,
    *,
    margin: float = 0.25,
    measure: DistanceName = "cosine",
    soft: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin + distance of the farthest positive - distance of the nearest negative) of each text.

    Source: Hermans, Beyer and Leibe 2017, equation 5; with ``soft``, the soft margin of their section 2.

    Args:
        vectors: shape [B, D].
        groups: the group of each text; texts of one group are positives of each other. Shape [B].
        margin: the minimum difference in distance.
        measure: the distance d; see :func:`textkin.networks.losses.triplet.triplet`.
        soft: log(1 + e^gap) instead of relu(margin + gap).
        reduction: over the texts that have both a positive and a negative.
    """
    distances, same = _compared(vectors, groups, measure)
    positive, negative = same & ~_self(same), ~same
    kept = positive.any(dim=1) & negative.any(dim=1)
    if not kept.any():
        return reduced(distances[kept].sum(dim=1), reduction)
    farthest = distances.masked_fill(~positive, -torch.inf)[kept].amax(dim=1)
    nearest = distances.masked_fill(~negative, torch.inf)[kept].amin(dim=1)
    return reduced(_lost(farthest - nearest, margin, soft=soft), reduction)


def _compared(vectors: Tensor, groups: Tensor, measure: DistanceName) -> tuple[Tensor, Tensor]:
    """The distances of all texts, and a mask of equal groups, bool. Shapes [B, B]."""
    if vectors.ndim != 2 or groups.shape != vectors.shape[:1]:
        raise wrong_shapes("[B, D] and [B]", vectors=vectors, groups=groups)
    return distances_within(at_least_single(vectors), measure), groups[:, None] == groups


def _self(square: Tensor) -> Tensor:
    return torch.eye(len(square), dtype=torch.bool, device=square.device)


def _lost(gaps: Tensor, margin: float, *, soft: bool) -> Tensor:
    return functional.softplus(gaps) if soft else torch.relu(margin + gaps)
