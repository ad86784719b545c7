"""Squared error against a teacher's margins between relevant and irrelevant texts."""

from torch import Tensor

from textkin.networks.losses.common import Reduction, reduced, wrong_shapes


def margin_mean_square(
    positive: Tensor, negative: Tensor, margins: Tensor, *, reduction: Reduction = "mean"
) -> Tensor:
    """(score of the positive - score of the negative - the teacher's margin)^2 of each negative.

    Source: Hofstätter et al. 2020, section 3.2, known as margin MSE.

    Args:
        positive: scores of the relevant texts. Shape [T].
        negative: scores of the irrelevant ones, one or K for each. Shape [T] or [T, K].
        margins: the teacher's score differences. Shape as ``negative``.
        reduction: over all negatives.

    Raises:
        UsageError: the shapes don't fit.
    """
    if positive.ndim != 1 or negative.shape[:1] != positive.shape or negative.shape != margins.shape:
        expected = "[T] and twice [T] or [T, K]"
        raise wrong_shapes(expected, positive=positive, negative=negative, margins=margins)
    found = positive.view(-1, *[1] * (negative.ndim - 1)) - negative
    return reduced((found - margins.to(found.dtype)).square(), reduction)
