"""CDSSM: letter trigrams of words, convolution over words, maximum over time, cosine.

Source: Shen, He, Gao, Deng and Mesnil, "A Latent Semantic Model with Convolutional-Pooling Structure for
Information Retrieval" (2014), section 3.

Shapes: as in ``matcher.py``, D being filters; S width of a text's vector.
"""

from torch import Tensor, nn, tanh

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.cosine_score import CosineScore
from textkin.networks.nn.ngram_convolution import NgramConvolution
from textkin.networks.nn.pooling import masked_max
from textkin.networks.nn.size_checks import check_sizes
from textkin.networks.nn.word_vectors import Words


class CDSSM(Matcher):
    """Filters over windows of words that are counts of letter trigrams, their maxima, a dense layer, cosine.

    Both texts share the layers. Words are read by their spelling alone: of pretrained word vectors only the
    width matters, which becomes the number of filters.

    Differences from the paper: trigrams are hashed by the pipeline's spelling rather than listed; a linear
    function of the cosine, which also supports classes, replaces the smoothing factor in the paper's softmax
    over documents; beyond a text's ends are words without trigrams. MatchZoo's CDSSM convolves word vectors
    instead, and takes the maximum over padding as well.

    Args:
        width: words that a filter spans.
        hidden: S.
        dropout: dropout on the maxima.

    Raises:
        UsageError: there are no n-grams, or a size is less than 1.
    """

    def __init__(
        self, words: Words, *, width: int = 3, hidden: int = 128, dropout: float = 0.1, outputs: int = 1
    ) -> None:
        super().__init__(outputs)
        self.pad_id = words.pad_id
        check_sizes(width=width, hidden=hidden)
        self.convolution = NgramConvolution(unit_size=words.unit_size, filters=words.dim, width=width)
        self.dense = nn.Linear(words.dim, hidden, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.score = CosineScore(outputs=outputs)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        both = self._vectors(TextBatch.joined([a, b], pad_id=self.pad_id))
        return self.score(both[: len(a)], both[len(a) :])

    def _vectors(self, batch: TextBatch) -> Tensor:
        """One vector per text. Shape [B, S]."""
        highest = masked_max(tanh(self.convolution(batch)), batch.mask)
        return tanh(self.dense(self.dropout(highest)))
