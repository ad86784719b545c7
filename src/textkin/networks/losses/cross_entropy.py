"""Cross-entropy on classes."""

from torch import Tensor
from torch.nn import functional

from textkin.networks.losses.common import Reduction, at_least_single, reduced, wrong_shapes


def cross_entropy(
    scores: Tensor, labels: Tensor, *, smoothing: float = 0.0, reduction: Reduction = "mean"
) -> Tensor:
    """-log softmax(scores) at the true class of each row.

    Args:
        scores: shape [B, C], C >= 2.
        labels: the index of each true class, int64. Shape [B].
        smoothing: fraction of the true class's probability spread over all (Szegedy et al. 2016).
        reduction: over the B rows.

    Raises:
        UsageError: the shapes don't fit.
    """
    if scores.ndim != 2 or scores.shape[1] < 2 or labels.shape != scores.shape[:1]:
        raise wrong_shapes("[B, C] with C >= 2 and [B]", scores=scores, labels=labels)
    values = functional.cross_entropy(
        at_least_single(scores), labels, label_smoothing=smoothing, reduction="none"
    )
    return reduced(values, reduction)
