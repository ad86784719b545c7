"""CoSENT: the order of the scores of graded pairs."""

import torch
from torch import Tensor

from textkin.networks.losses.common import at_least_single, same_shape


def cosent(scores: Tensor, labels: Tensor, *, scale: float = 20.0) -> Tensor:
    """log(1 + sum of e^(scale (s_i - s_j)) over the pairs i of a lower label than j) of a batch.

    Source: Su 2022, with the scale of sentence-transformers. Only the order of labels matters. A batch with
    equal labels gives 0.

    Args:
        scores: cosines, or a matcher's scores. Shape [B].
        labels: the similarity of the texts, on any scale. Shape [B].
        scale: multiplies the scores.
    """
    same_shape(scores=scores, labels=labels)
    scaled = scale * at_least_single(scores)
    lower = labels[:, None] < labels
    gaps = (scaled[:, None] - scaled).masked_fill(~lower, -torch.inf)
    return torch.cat((gaps.new_zeros(1), gaps.flatten())).logsumexp(dim=0)
