"""Any matcher with additional overlap features."""

from torch import Tensor, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.overlap import FEATURES, overlap_features
from textkin.networks.nn.token_weights import InverseDocumentFrequency
from textkin.networks.nn.word_vectors import Words


class WithOverlap(Matcher):
    """The outputs of a matcher plus a linear function of six overlap features; see ``nn/overlap.py``.

    Words count as shared when their ids are equal, so words beyond the vocabulary need ``oov = "hash"`` to be
    recognised.

    Args:
        inner: the matcher.
        words: the matcher's token settings.
    """

    def __init__(self, inner: Matcher, words: Words) -> None:
        super().__init__(inner.outputs)
        self.inner = inner
        self.idf = InverseDocumentFrequency(size=words.size, pad_id=words.pad_id)
        self.linear = nn.Linear(FEATURES, inner.outputs, bias=False)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        features = overlap_features(a, b, self.idf(a.ids), self.idf(b.ids))
        return self.inner(a, b) + self.linear(features)
