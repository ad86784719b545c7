"""Token vectors made from characters.

The units of a batch are read as the characters of each token in order, 0 meaning none; see ``TextBatch``. A
spelling that occurs many times in a batch, as that of padding does, is encoded once.

Shapes: B texts, L tokens, G maximum characters of a token, U distinct spellings, C output width of a
character network.
"""

import torch
from torch import Tensor, nn

from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.embedding import TokenEmbedding
from textkin.networks.nn.pooling import last_state, masked_max
from textkin.networks.nn.recurrent import Recurrent


class CharacterLSTM(nn.Module):
    """The last state of an LSTM over the characters of each token: a batch to [B, L, C].

    Wang et al. 2017 ("Bilateral Multi-Perspective Matching"), section on the word representation layer. A
    token without characters gets zeros.

    Args:
        size: rows of the character embedding.
        dim: width of a character's vector.
        hidden: C.
    """

    def __init__(self, *, size: int, dim: int = 20, hidden: int = 50) -> None:
        super().__init__()
        self.letters = TokenEmbedding(size=size, dim=dim, pad_id=0)
        self.lstm = Recurrent(cell="lstm", dim=dim, hidden=hidden)
        self.width = hidden

    def forward(self, batch: TextBatch) -> Tensor:
        """The vectors of the batch's tokens. Shape [B, L, C]."""
        spellings, places = distinct_spellings(batch)
        mask = spellings > 0
        return nn.functional.embedding(places, last_state(self.lstm(self.letters(spellings), mask), mask))


class CharacterCNN(nn.Module):
    """The maximum over each token of filters over its characters: a batch to [B, L, C].

    After Kim 2014 ("Convolutional Neural Networks for Sentence Classification"), on characters, as in Seo et
    al. 2017 (BiDAF). A window may extend beyond the ends of a token, where there are zeros, so that short
    tokens work; a token without characters gets zeros.

    Args:
        size: rows of the character embedding.
        dim: width of a character's vector.
        filters: C.
        window: characters that a filter spans.
    """

    def __init__(self, *, size: int, dim: int = 8, filters: int = 100, window: int = 5) -> None:
        super().__init__()
        self.letters = TokenEmbedding(size=size, dim=dim, pad_id=0)
        self.convolution = TokenConvolution(dim=dim, filters=filters, widths=(window,))
        self.width = filters

    def forward(self, batch: TextBatch) -> Tensor:
        """The vectors of the batch's tokens. Shape [B, L, C]."""
        spellings, places = distinct_spellings(batch)
        mask = spellings > 0
        responses = self.convolution(self.letters(spellings), mask)
        return nn.functional.embedding(places, masked_max(responses, mask))


class CharacterMax(nn.Module):
    """The maximum over each token of its characters' vectors: a batch to [B, L, C].

    Seo et al. 2018, "Phrase-Indexed Question Answering". A token without characters gets zeros.

    Args:
        size: rows of the character embedding.
        dim: C.
    """

    def __init__(self, *, size: int, dim: int = 200) -> None:
        super().__init__()
        self.letters = TokenEmbedding(size=size, dim=dim, pad_id=0)
        self.width = dim
        # Values around 1, as for words: see ``WordVectors``.
        self.scale = dim**0.5

    def forward(self, batch: TextBatch) -> Tensor:
        """The vectors of the batch's tokens. Shape [B, L, C]."""
        spellings, places = distinct_spellings(batch)
        highest = masked_max(self.letters(spellings), spellings > 0)
        return nn.functional.embedding(places, highest * self.scale)


def with_characters(
    vectors: Tensor, batch: TextBatch, characters: CharacterLSTM | CharacterCNN | CharacterMax | None
) -> Tensor:
    """Token vectors with those of their characters appended: [B, L, D] to [B, L, D + C]; D without any."""
    return vectors if characters is None else torch.cat([vectors, characters(batch)], dim=-1)


def distinct_spellings(batch: TextBatch) -> tuple[Tensor, Tensor]:
    """The distinct spellings of a batch [U, G], trimmed to the longest, and their tokens' indices [B, L].

    Raises:
        UsageError: the batch comes without units.
    """
    if batch.units is None:
        raise UsageError(
            "the model reads characters, and the batch has none",
            fix='set spelling = "characters" in the recipe\'s [text], or unit_size = 0',
        )
    found, places = torch.unique(batch.units.flatten(0, 1), dim=0, return_inverse=True)
    longest = max(1, int((found > 0).sum(dim=1).max()))
    return found[:, :longest], places.view(batch.ids.shape)
