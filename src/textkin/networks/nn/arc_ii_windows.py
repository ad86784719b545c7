"""All pairs of windows of two texts: the first layer of ARC-II.

Shapes: B pairs, N tokens of a, M tokens of b, D width of token vectors, F filters, W tokens of a window.
"""

from torch import Tensor, nn


class WindowGrid(nn.Module):
    """Filters over the joined vectors of two windows, rectified: [B, N, D] and [B, M, D] to [B, F, N, M].

    A filter's response to joined windows is the sum of its halves' responses to either, so that these are
    computed once per position, not once per pair. Beyond a text's ends token vectors count as zero.

    Args:
        dim: D.
        filters: F.
        width: W; for an even width, the window has one more token after its centre than before.
    """

    def __init__(self, *, dim: int, filters: int, width: int) -> None:
        super().__init__()
        self.over_a = nn.Conv1d(dim, filters, width)
        self.over_b = nn.Conv1d(dim, filters, width, bias=False)
        self.around = ((width - 1) // 2, width // 2)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """The responses; ``a`` and ``b`` are zero at padding, and outputs at padding are meaningless."""
        return (self._half(self.over_a, a).unsqueeze(3) + self._half(self.over_b, b).unsqueeze(2)).relu()

    def _half(self, convolution: nn.Conv1d, vectors: Tensor) -> Tensor:
        return convolution(nn.functional.pad(vectors.transpose(1, 2), self.around))
