"""Counts of character n-grams, projected: the word hashing of Huang et al. 2013 and the layer above it.

Shapes: B texts, L tokens, G units of a token, D width.
"""

import torch
from torch import Tensor, nn

from textkin.base.errors import UsageError, wrong_setting
from textkin.networks.batches.padded import TextBatch


class LetterNgrams(nn.Module):
    """A linear layer, without bias, on the counts of character n-grams.

    The counts are never stored: their product with the layer's matrix is the sum of the rows of the n-grams
    that occur.

    Args:
        unit_size: number of n-gram ids in the pipeline's spelling; 0 isn't an n-gram.
        dim: D.

    Raises:
        UsageError: the texts have no n-grams.
    """

    def __init__(self, *, unit_size: int, dim: int) -> None:
        super().__init__()
        if unit_size < 2:
            raise wrong_setting(
                "unit_size",
                unit_size,
                expected="2 or more: this architecture reads character n-grams",
                fix='set spelling = "ngrams" in the recipe\'s [text]',
            )
        self.table = nn.Parameter(torch.randn(unit_size, dim) * dim**-0.5)
        with torch.no_grad():
            self.table[0] = 0

    def forward(self, batch: TextBatch) -> Tensor:
        """The outputs for each token's n-grams: [B, L, D], zero at padding."""
        units = _units(batch)
        return self._projected(units.flatten(0, 1)).view(*units.shape[:2], -1)

    def whole(self, batch: TextBatch) -> Tensor:
        """The outputs for all the n-grams of each text: [B, D]."""
        return self._projected(_units(batch).flatten(1))

    def _projected(self, units: Tensor) -> Tensor:
        # The padding index excludes row 0 from the sums and from gradients.
        return nn.functional.embedding_bag(units, self.table, mode="sum", padding_idx=0)


def _units(batch: TextBatch) -> Tensor:
    """The units of the batch, 0 at padding. Shape [B, L, G]."""
    if batch.units is None:
        raise UsageError("the batch has no units", fix="make it with a pipeline that has a spelling")
    return batch.units * batch.mask.unsqueeze(-1)
