"""Multiple negatives ranking loss: find the own partner among all texts of the batch."""

import torch
from torch import Tensor

from textkin.networks.losses.common import Reduction, at_least_single, negatives_mask, positives_mask, reduced


def multiple_negatives(
    similarities: Tensor,
    allowed: Tensor | None = None,
    first: int = 0,
    *,
    scale: float = 20.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """Cross-entropy of each row's positive against its negatives.

    Source: Henderson et al. 2017, section 4.4, with the scale of sentence-transformers.

    Args:
        similarities: similarities of R texts with all M texts of a batch. Shape [R, M].
        allowed: a mask of possible negatives; None for all but the positives; bool. Shape [R, M].
        first: the column of the first row's positive; it increases by one per row.
        scale: multiplies the similarities.
        reduction: over the R rows. A row without negatives contributes 0.
    """
    similarities = at_least_single(similarities)
    negatives = negatives_mask(similarities, allowed, first=first)
    positives = positives_mask(similarities, first=first)
    logits = scale * similarities.masked_fill(~(negatives | positives), -torch.inf)
    own = scale * similarities.diagonal(first)[: len(similarities)]
    return reduced(logits.logsumexp(dim=1) - own, reduction)
