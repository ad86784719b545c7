"""Cross-entropy on classes."""

from __future__ import annotations

from typing import ClassVar, final

from torch import Tensor, nn
from torch.nn import functional

from textkin.errors import ConfigError, UsageError
from textkin.losses.common import LossInput, Reduction, at_least_single, known_reduction, reduced


def cross_entropy(
    scores: Tensor, labels: Tensor, *, smoothing: float = 0.0, reduction: Reduction = "mean"
) -> Tensor:
    """-log softmax(scores) at the true class of each row.

    Args:
        scores: shape [B, C], C >= 2.
        labels: the index of each true class, int64. Shape [B].
        smoothing: share of the true class's probability that is spread over all (Szegedy et al. 2016).
        reduction: over the B rows.

    Raises:
        UsageError: the shapes don't fit.
    """
    if scores.ndim != 2 or scores.shape[1] < 2 or labels.shape != scores.shape[:1]:
        raise UsageError(
            f"scores have shape {list(scores.shape)} and labels {list(labels.shape)}, "
            "expected [B, C] with C >= 2 and [B]"
        )
    values = functional.cross_entropy(
        at_least_single(scores), labels, label_smoothing=smoothing, reduction="none"
    )
    return reduced(values, reduction)


@final
class CrossEntropy(nn.Module):
    """:func:`cross_entropy` as a module."""

    takes: ClassVar[LossInput] = LossInput.CLASS_SCORES

    def __init__(self, *, smoothing: float = 0.0, reduction: Reduction = "mean") -> None:
        super().__init__()
        if not 0 <= smoothing < 1:
            raise ConfigError(f"smoothing is {smoothing}, expected a number from 0 to below 1")
        known_reduction(reduction)
        self.smoothing = smoothing
        self.reduction: Reduction = reduction

    def forward(self, scores: Tensor, labels: Tensor) -> Tensor:
        """The loss of scores [B, C] with class indexes [B]."""
        return cross_entropy(scores, labels, smoothing=self.smoothing, reduction=self.reduction)
