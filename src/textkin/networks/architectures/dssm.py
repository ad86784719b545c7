"""DSSM: bags of letter trigrams, dense layers, cosine.

Source: Huang, He, Gao, Deng, Acero and Heck, "Learning Deep Structured Semantic Models for Web Search using
Clickthrough Data" (2013), sections 3.1 (layers) and 3.2 (word hashing).

Shapes: as in ``matcher.py``, D being the width of the first layer; S width of the last one.
"""

from collections.abc import Sequence

from torch import Tensor, nn, tanh, zeros

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.cosine_score import CosineScore
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.letter_ngrams import LetterNgrams
from textkin.networks.nn.size_checks import check_sizes
from textkin.networks.nn.word_vectors import Words


class DSSM(Matcher):
    """Counts of letter trigrams, dense layers with tanh that both texts share, cosine.

    It reads words by their spelling alone: of pretrained word vectors only the width matters, which becomes
    that of the first layer.

    Differences from the paper: trigrams are hashed by the pipeline's spelling, not listed; the smoothing
    factor of its softmax over documents is the trained slope of a linear function of the cosine, so that any
    loss can be used, and classes, too. MatchZoo uses ReLU; the paper and this implementation use tanh.

    Args:
        hidden: widths of the layers after the first one; the last is S.
        dropout: dropout on the input of each layer after the first one.

    Raises:
        UsageError: there are no n-grams or no layers, or a size is less than 1.
    """

    def __init__(
        self, words: Words, *, hidden: Sequence[int] = (300, 128), dropout: float = 0.1, outputs: int = 1
    ) -> None:
        super().__init__(outputs)
        check_sizes(hidden=hidden)
        self.ngrams = LetterNgrams(unit_size=words.unit_size, dim=words.dim)
        self.bias = nn.Parameter(zeros(words.dim))
        *between, last = hidden
        self.layers = feed_forward(words.dim, between, last, activation="tanh", dropout=dropout)
        self.score = CosineScore(outputs=outputs)
        self.pad_id = words.pad_id

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        vectors = self._vectors(TextBatch.joined([a, b], pad_id=self.pad_id))
        return self.score(vectors[: len(a)], vectors[len(a) :])

    def _vectors(self, batch: TextBatch) -> Tensor:
        """One vector per text. Shape [B, S]."""
        first = tanh(self.ngrams.whole(batch) + self.bias)
        return tanh(self.layers(first))
