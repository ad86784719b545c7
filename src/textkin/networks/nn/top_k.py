"""The k largest values, in descending order."""

from torch import Tensor, nn


def top_k(values: Tensor, mask: Tensor, *, k: int) -> Tensor:
    """The k largest values in ``mask``, then zeros if there are fewer.

    Args:
        values: finite numbers. Shape [..., M].
        mask: a mask whose shape broadcasts to that of the values.
        k: at least 1; may exceed M.

    Returns:
        Shape [..., k].
    """
    kept = values.masked_fill(~mask, float("-inf"))
    wide = nn.functional.pad(kept, (0, max(0, k - values.shape[-1])), value=float("-inf"))
    found = wide.topk(k, dim=-1).values
    return found.masked_fill(found.isneginf(), 0)
