"""Token weights from the training texts: inverse document frequencies."""

import torch
from torch import Tensor, nn

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError


class InverseDocumentFrequency(nn.Module):
    """Inverse document frequencies by token id; a constant that is saved with the weights.

    Args:
        size: number of ids.
        pad_id: the padding token, which has weight zero.
    """

    def __init__(self, *, size: int, pad_id: int) -> None:
        super().__init__()
        values = torch.ones(size)
        values[pad_id] = 0
        self.pad_id = pad_id
        self.register_buffer("values", values)
        self.values: Tensor

    def forward(self, ids: Tensor) -> Tensor:
        """The weight of each token: ids [B, L] to [B, L]; zero at padding."""
        return self.values[ids]

    def set(self, values: Floats32) -> None:
        """Set the frequencies. Shape [size].

        Raises:
            UsageError: the shape differs.
        """
        if values.shape != tuple(self.values.shape):
            raise UsageError(
                f"frequencies have shape {list(values.shape)}, expected {list(self.values.shape)}",
                fix="count them over the ids of the same pipeline",
                params=("frequencies",),
                value=list(values.shape),
            )
        self.values.copy_(torch.from_numpy(values))
        self.values[self.pad_id] = 0
