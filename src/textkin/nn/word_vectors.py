"""Token vectors as the models that compare word by word take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.nn.embedding import TokenEmbedding


@final
class WordVectors(nn.Module):
    """A batch of texts to vectors [B, L, D] whose numbers are about 1; zero at padding.

    A token's vector is D^0.5 times its row. With spelling, the mean of its units' vectors is added to the
    row, and a token that no vocabulary knows has the mean alone (Bojanowski et al. 2017, "Enriching Word
    Vectors with Subword Information", for words beyond the vocabulary).

    Args:
        size: rows of the embedding.
        dim: D.
        pad_id: the row of padding.
        zero_ids: further rows that stay zero.
        trainable: False freezes the rows (never the units).
        unit_size: rows of the units, as the pipeline's spelling has them; 0 ignores the spelling.
        dropout: on the vectors.
    """

    def __init__(
        self,
        *,
        size: int,
        dim: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        trainable: bool = True,
        unit_size: int = 0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(
            size=size, dim=dim, pad_id=pad_id, zero_ids=zero_ids, trainable=trainable
        )
        self.units = TokenEmbedding(size=unit_size, dim=dim, pad_id=0) if unit_size else None
        self.dropout = dropout
        # Rows are about 1 long. Gates and LSTMs tell tokens apart from the start when numbers are about 1.
        self.scale = dim**0.5

    def forward(self, batch: TextBatch) -> Tensor:
        """The vectors of the batch's tokens. Shape [B, L, D]."""
        vectors: Tensor = self.embedding(batch.ids)
        if self.units is not None and batch.units is not None:
            kept = batch.units > 0
            flat = self.units.mean(batch.units.flatten(0, 1), kept.flatten(0, 1))
            vectors = vectors + flat.view(*batch.ids.shape, -1)
        return torch.dropout(vectors * self.scale, self.dropout, self.training)
