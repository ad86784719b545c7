"""Contrastive loss on labelled pairs."""

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, same_shape


def contrastive(
    distances: Tensor, labels: Tensor, *, margin: float = 0.5, reduction: Reduction = "mean"
) -> Tensor:
    """(y d^2 + (1 - y) relu(margin - d)^2) / 2 of each pair.

    Source: Hadsell, Chopra and LeCun 2006, equation 4, with the margin of sentence-transformers for distances
    of 1 - cosine.

    Args:
        distances: d of each pair. Shape [B].
        labels: y, 1 same and 0 not. Shape [B].
        margin: negatives farther apart than this contribute nothing.
        reduction: over the B pairs.
    """
    same_shape(distances=distances, labels=labels)
    labels = labels.to(distances.dtype)
    apart = torch.relu(margin - distances)
    return reduced((labels * distances.square() + (1 - labels) * apart.square()) / 2, reduction)
