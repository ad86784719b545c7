"""Any loss over vectors, at several widths at once."""

from collections.abc import Callable, Sequence

from torch import Tensor

from textkin.networks.losses.distances import unit


def matryoshka(
    loss: Callable[..., Tensor], vectors: Sequence[Tensor], widths: Sequence[int], weights: Sequence[float]
) -> Tensor:
    """The loss of whole vectors plus weighted losses of vectors truncated to each width.

    Source: Kusupati et al. 2022, equation 1, for similarities.

    Args:
        loss: takes as many matrices as there are in ``vectors``.
        vectors: each of shape [B, D].
        widths: narrower than D.
        weights: one for each width; whole vectors have the weight 1.
    """
    total = loss(*vectors)
    for width, weight in zip(widths, weights, strict=True):
        total = total + weight * loss(*(unit(side[:, :width]) for side in vectors))
    return total
