"""The ranking loss of answer selection: a question, its right answer, a wrong one."""

from torch import Tensor

from textkin.networks.losses.common import Reduction
from textkin.networks.losses.triplet import triplet


def cosine_ranking(
    question: Tensor,
    right: Tensor,
    wrong: Tensor,
    *,
    margin: float = 0.2,
    reduction: Reduction = "mean",
) -> Tensor:
    """relu(margin - cos(question, right) + cos(question, wrong)) of each sample.

    Source: Allen AI science question answering. Its batches contain the texts of a sample as rows 3i, 3i + 1
    and 3i + 2: for such vectors [3T, D] the arguments are ``rows[0::3]``, ``rows[1::3]`` and ``rows[2::3]``.
    It is the triplet loss with cosine distance, by that system's name, margin and sides.

    Args:
        question: shape [T, D].
        right: shape [T, D].
        wrong: shape [T, D].
        margin: the minimum difference in similarity between right and wrong. The cosine of a zero vector is
            0.
        reduction: over the T samples.
    """
    return triplet(question, right, wrong, margin=margin, measure="cosine", reduction=reduction)
