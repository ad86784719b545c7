"""Siamese encoders: one tower, two texts, cosine.

Sources: Mueller and Thyagarajan, "Siamese Recurrent Architectures for Learning Sentence Similarity" (2016);
the towers of the Coursera Siamese system (LSTM, mean over time) and of the Allen AI science challenge system
(GRU, last state).
"""

import torch
from torch import Tensor, nn

from textkin.networks.architectures.tower import Tower
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.embedding import TokenTable
from textkin.networks.nn.pooling import Pooling, known_pooling, pool, unit
from textkin.networks.nn.token_layer import TokenLayer


class Siamese(Tower):
    """Embedding, a layer over the tokens, pooling, an optional dense layer, unit length.

    Args:
        table: the tokens' vectors.
        layer: over the tokens.
        pooling: over time; the mean over the tokens gives every text the same weight whatever its length.
        dense: width of a dense layer with tanh on top; 0 for none.
        dropout: dropout on the embedding and after each layer.
        token_dropout: fraction of tokens dropped as a whole in training (Iyyer et al. 2015, "Deep Unordered
            Composition", section 3.1).
        mask: False includes padding in the pooling, as in the published Siamese LSTM: that of the batch in
            training; in evaluation up to the next power of two, which depends on the text alone.

    Raises:
        UsageError: there is no such cell, pooling, initialisation or activation.
    """

    def __init__(
        self,
        table: TokenTable,
        layer: TokenLayer,
        *,
        pooling: Pooling = "mean",
        dense: int = 0,
        dropout: float = 0.0,
        token_dropout: float = 0.0,
        mask: bool = True,
    ) -> None:
        super().__init__()
        self.embedding = table.make()
        self.layer, width = layer.make(dim=table.dim, dropout=dropout)
        self.dense = nn.Linear(width, dense) if dense else None
        self.dropout = nn.Dropout(dropout)
        self.token_dropout = nn.Dropout1d(token_dropout)
        self.pooling: Pooling = known_pooling(pooling)
        self.mask = mask
        self.pad_id = table.pad_id
        self.dim = dense or width

    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector per text, shape [B, dim]; the zero vector for a text without known tokens."""
        ids, mask, seen = batch.ids, batch.mask, batch.mask
        if not self.mask:
            ids, mask, seen = self._with_padding(batch)
        if self.layer is None and self.pooling == "mean":
            kept = self.token_dropout(seen.unsqueeze(-1).float()).squeeze(-1) > 0
            vectors = self.dropout(self.embedding.mean(ids, kept))
        else:
            states = self.dropout(self.token_dropout(self.embedding(ids)))
            if self.layer is not None:
                states = self.layer(states, mask)
            vectors = pool(states, seen, how=self.pooling)
        if self.dense is not None:
            vectors = torch.tanh(self.dense(vectors))
        return unit(vectors * self.embedding.known(ids).unsqueeze(-1))

    def _with_padding(self, batch: TextBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, mask, and the mask for pooling, with padding included."""
        if self.training:
            return batch.ids, batch.mask, torch.ones_like(batch.mask)
        width = batch.ids.shape[1]
        powers = 2 ** torch.arange((width - 1).bit_length() + 1, device=batch.ids.device)
        more = (0, int(powers[-1]) - width)
        ids = nn.functional.pad(batch.ids, more, value=self.pad_id)
        mask = nn.functional.pad(batch.mask, more, value=False)
        ends = powers[torch.searchsorted(powers, batch.lengths)]
        return ids, mask, torch.arange(ids.shape[1], device=ids.device) < ends.unsqueeze(1)
