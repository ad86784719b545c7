"""Token vectors for models that compare word by word."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.embedding import TokenEmbedding


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The token settings of a model, before it has weights.

    Attributes:
        size: number of token ids.
        pad_id: the id of padding.
        zero_ids: ids without a word of their own; their vectors stay zero.
        dim: D, width of a token's vector.
        train_embedding: False freezes the vectors of whole words (never those of units).
        unit_size: number of ids in the pipeline's spelling of tokens: characters, or hashed character
            n-grams; 0 ignores the spelling.
    """

    size: int
    pad_id: int
    zero_ids: Sequence[int] = ()
    dim: int = 128
    train_embedding: bool = True
    unit_size: int = 0


class WordVectors(nn.Module):
    """A batch of texts to vectors [B, L, D] with values around 1; zero at padding.

    A token's vector is D^0.5 times its row. With spelling, the mean of its units' vectors is added to the
    row, and an unknown token has the mean alone (Bojanowski et al. 2017, "Enriching Word Vectors with Subword
    Information", for out-of-vocabulary words).

    Args:
        words: the tokens.
        spelt: False leaves the spelling to another part of the model.
        dropout: dropout on the vectors.
    """

    def __init__(self, words: Words, *, spelt: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(
            size=words.size,
            dim=words.dim,
            pad_id=words.pad_id,
            zero_ids=words.zero_ids,
            trainable=words.train_embedding,
        )
        units = words.unit_size if spelt else 0
        self.units = TokenEmbedding(size=units, dim=words.dim, pad_id=0) if units else None
        self.dropout = dropout
        # Rows have a length of about 1. With values around 1, gates and LSTMs distinguish tokens from the
        # start.
        self.scale = words.dim**0.5

    def forward(self, batch: TextBatch) -> Tensor:
        """The vectors of the batch's tokens. Shape [B, L, D]."""
        vectors: Tensor = self.embedding(batch.ids)
        if self.units is not None and batch.units is not None:
            kept = batch.units > 0
            flat = self.units.mean(batch.units.flatten(0, 1), kept.flatten(0, 1))
            vectors = vectors + flat.view(*batch.ids.shape, -1)
        return torch.dropout(vectors * self.scale, self.dropout, self.training)
