"""Convolution over the tokens of a text."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class TokenConvolution(nn.Module):
    """Filters of several widths over tokens: [B, L, D] to [B, L, filters x widths], length kept.

    Padding counts as zero vectors, so that a text's states don't depend on its padding.

    Args:
        dim: D.
        filters: number of filters per width.
        widths: tokens that a filter spans.
    """

    def __init__(self, *, dim: int, filters: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv1d(dim, filters, width) for width in widths)
        # Zeros around the text that keep its length; for an even width, the odd one follows it.
        self.around = [((width - 1) // 2, width // 2) for width in widths]

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Rectified filter responses at every position; those at padding are meaningless."""
        channels = (inputs * mask.unsqueeze(-1)).transpose(1, 2)
        responses = [
            convolution(nn.functional.pad(channels, around))
            for convolution, around in zip(self.convolutions, self.around, strict=True)
        ]
        return torch.cat(responses, dim=1).relu().transpose(1, 2)
