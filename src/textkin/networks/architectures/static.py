"""Static encoders: the mean over a table of token vectors, with trainable parts.

Sources: the library model2vec; for the weights, Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for
Sentence Embeddings" (2017).
"""

import torch
from torch import Tensor, nn

from textkin.networks.architectures.tower import Tower
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.embedding import TokenEmbedding
from textkin.networks.nn.pooling import unit
from textkin.text.unknown_vectors import median_length


class StaticTower(Tower):
    """The mean of a text's token vectors, weighted and projected, with unit length.

    Args:
        size: tokens of the tokenizer.
        dim: width of the table.
        token_weights: give each token a trainable weight.
        projection: width of a linear layer on the mean, initially the table's leading dimensions; 0 for none.
            It is multiplied into the saved table, so it costs nothing afterwards.
        train_table: False keeps the vectors as they are.
        normalize: True if other libraries normalise the vectors, too. Here they always have unit length.
    """

    def __init__(
        self,
        *,
        size: int,
        dim: int,
        token_weights: bool = False,
        projection: int = 0,
        train_table: bool = True,
        normalize: bool = True,
    ) -> None:
        super().__init__()
        # Padding has its own row, so that a padding token spelt out in a text has its vector.
        self.embedding = TokenEmbedding(
            size=size + 1, dim=dim, pad_id=size, weighted=token_weights, trainable=train_table
        )
        self.projection = nn.Linear(dim, projection, bias=False) if projection else None
        if self.projection is not None:
            nn.init.eye_(self.projection.weight)
        self.normalize = normalize
        self.dim = projection or dim

    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector per text, shape [B, dim]; the zero vector for a text without known tokens."""
        vectors = self.embedding.mean(batch.ids, batch.mask)
        return unit(vectors if self.projection is None else self.projection(vectors))

    @property
    def table(self) -> Tensor:
        """The projected vector of every token, without its weight. Shape [size, dim]."""
        rows = self.embedding.table[:-1]
        return rows if self.projection is None else self.projection(rows)

    @property
    def token_weights(self) -> Tensor | None:
        """The weight of each token's vector, or None. Shape [size]."""
        weights = self.embedding.weights
        return None if weights is None else weights[:-1]

    def usual_length(self) -> float:
        """The median length of the weighted vectors of tokens, which that of an unknown one has, too."""
        weights = self.token_weights
        table = self.table if weights is None else self.table * weights[:, None]
        return median_length(table.detach().float().cpu().numpy())

    def fill(self, table: Tensor, token_weights: Tensor | None) -> None:
        """Copy the vectors of a saved embedding, [size, dim], and its weights, [size] or None."""
        padding = torch.zeros_like(table[:1])
        self.embedding.set_table(torch.cat([table, padding]).numpy())
        if token_weights is not None:
            self.embedding.set_weights(torch.cat([token_weights, padding[0, :1]]).numpy())
