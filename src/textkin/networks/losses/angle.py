"""AnglE: CoSENT on angles between vectors of complex numbers."""

from torch import Tensor
from torch.nn import functional

from textkin.networks.losses.common import at_least_single, same_shape
from textkin.networks.losses.cosent import cosent
from textkin.networks.losses.distances import unit


def angle(a: Tensor, b: Tensor, labels: Tensor, *, scale: float = 20.0) -> Tensor:
    """:func:`cosent` on |the real plus the imaginary part of a times b conjugate| of unit vectors.

    Source: Li and Li 2023, equation 7, in the form of sentence-transformers. The first half of a vector are
    the real parts, the second half the imaginary ones; an odd width is padded with a zero.

    Args:
        a: vectors of the first texts. Shape [B, D].
        b: vectors of the second texts. Shape [B, D].
        labels: the similarity of the texts, on any scale. Shape [B].
        scale: multiplies the similarities.
    """
    same_shape(a=a, b=b)
    (real_a, other_a), (real_b, other_b) = (
        functional.pad(unit(at_least_single(side)), (0, side.shape[1] % 2)).chunk(2, dim=1) for side in (a, b)
    )
    parts = real_a * real_b + other_a * other_b + other_a * real_b - real_a * other_b
    return cosent(parts.sum(dim=1).abs(), labels, scale=scale)
