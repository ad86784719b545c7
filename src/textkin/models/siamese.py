"""Siamese encoders: one tower, two texts, cosine.

Sources: Mueller and Thyagarajan, "Siamese Recurrent Architectures for Learning Sentence Similarity" (2016);
    the towers of the
Coursera Siamese system (LSTM, mean over time) and of the Allen AI science challenge system (GRU, last state).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.nn.convolution import TokenConvolution
from textkin.nn.embedding import Init, TokenEmbedding
from textkin.nn.keras_gru import KerasGRU
from textkin.nn.pooling import Pooling, pool, unit
from textkin.nn.recurrent import Recurrent

Cell = Literal["mean", "lstm", "bilstm", "gru", "bigru", "keras-gru", "cnn"]


@final
class Siamese(nn.Module):
    """Embedding, a layer over the tokens, pooling, an optional dense layer, unit length.

    Args:
        size: rows of the embedding.
        pad_id: the row of padding.
        zero_ids: further rows that stay zero.
        cell: the layer over the tokens; "mean" has none.
        dim: width of the embedding.
        hidden: width of the layer in one direction; of a convolution, the filters of each width.
        layers: recurrent layers.
        widths: of the convolution's filters.
        pooling: over time; the mean over the tokens gives every text the same say whatever its length.
        dense: width of a dense layer with tanh on top; 0 for none.
        dropout: on the embedding and after each layer.
        init: of the embedding; see :class:`TokenEmbedding`.
        token_weights: give each token a trainable weight.
        train_embedding: False keeps pretrained vectors as they are.
        mask: False lets padding take part in the pooling, as the published Siamese LSTM does.
        activation: of a "keras-gru".
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        cell: Cell = "lstm",
        dim: int = 128,
        hidden: int = 128,
        layers: int = 1,
        widths: Sequence[int] = (2, 3, 4),
        pooling: Pooling = "mean",
        dense: int = 0,
        dropout: float = 0.0,
        init: Init = "normal",
        token_weights: bool = False,
        train_embedding: bool = True,
        mask: bool = True,
        activation: Literal["sigmoid", "tanh"] = "sigmoid",
    ) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(
            size=size,
            dim=dim,
            pad_id=pad_id,
            zero_ids=zero_ids,
            init=init,
            weighted=token_weights,
            trainable=train_embedding,
        )
        self.layer: nn.Module | None
        self.layer, width = None, dim
        if cell in ("lstm", "bilstm", "gru", "bigru"):
            both = cell.startswith("bi")
            kind: Literal["lstm", "gru"] = "lstm" if cell.endswith("lstm") else "gru"
            self.layer = Recurrent(
                cell=kind, dim=dim, hidden=hidden, layers=layers, bidirectional=both, dropout=dropout
            )
            width = hidden * (2 if both else 1)
        elif cell == "keras-gru":
            self.layer, width = KerasGRU(dim=dim, hidden=hidden, activation=activation), hidden
        elif cell == "cnn":
            self.layer, width = TokenConvolution(dim=dim, filters=hidden, widths=widths), hidden * len(widths)
        elif cell != "mean":
            raise UsageError(f"cell is {cell!r}, expected mean, lstm, bilstm, gru, bigru, keras-gru or cnn")
        self.dense = nn.Linear(width, dense) if dense else None
        self.dropout = nn.Dropout(dropout)
        self.pooling: Pooling = pooling
        self.mask = mask
        self.dim = dense or width

    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector a text, shape [B, dim]; the zero vector for a text without known tokens."""
        states = self.dropout(self.embedding(batch.ids))
        seen = batch.mask if self.mask else torch.ones_like(batch.mask)
        if self.layer is not None:
            states = self.layer(states, batch.mask)
        vectors = pool(states, seen, how=self.pooling)
        if self.dense is not None:
            vectors = torch.tanh(self.dense(vectors))
        return unit(vectors)
