"""The distance of vectors from those of a teacher."""

from typing import Literal

from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, same_shape
from textkin.networks.losses.distances import cosine_distance


def distillation(
    vectors: Tensor,
    teacher: Tensor,
    *,
    measure: Literal["square", "cosine"] = "square",
    reduction: Reduction = "mean",
) -> Tensor:
    """The distance of each text's vector from the teacher's.

    Args:
        vectors: shape [B, D].
        teacher: shape [B, D].
        measure: "square", the squared difference, averaged over the D numbers; or "cosine", 1 - cosine.
        reduction: over the B texts.
    """
    same_shape(vectors=vectors, teacher=teacher)
    teacher = teacher.to(vectors.dtype)
    if measure == "cosine":
        return reduced(cosine_distance(vectors, teacher), reduction)
    return reduced((vectors - teacher).square().mean(dim=1), reduction)
