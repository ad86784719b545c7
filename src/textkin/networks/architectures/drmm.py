"""DRMM: for each word of the question, a histogram of its similarities to the answer's words.

Source: Guo, Fan, Ai and Croft, "A Deep Relevance Matching Model for Ad-hoc Retrieval" (2016).

Shapes: as in ``matcher.py``; K bins of a histogram.
"""

from collections.abc import Sequence

from torch import Tensor

from textkin.base.errors import UsageError
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.histogram import Histogram, known_bins, known_histogram, match_histogram
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.term_gate import Gate, TermGate
from textkin.networks.nn.word_vectors import Words, WordVectors


class DRMM(Matcher):
    """Match histograms, dense layers that all words of the question share, a sum weighted by the term gate.

    No gradient passes the histograms, so word vectors are frozen by default; trained, they learn from the
    gate alone. The paper's best setting is ``histogram="LCH", gate="idf"``.

    Differences from the paper: the last dense layer is linear instead of tanh, which would bound the score.
    MatchZoo starts counts at 1; the first layer's bias has the same effect.

    Args:
        histogram: "CH", "NH" or "LCH"; see ``nn/histogram.py``.
        bins: K, the last of which counts exact matches.
        gate: the input of the word weights: "idf" or "embedding".
        hidden: widths of the dense layers but the last.

    Raises:
        UsageError: there is no such histogram or gate, there are fewer than two bins, or vectors without a
            gradient are to be trained.
    """

    def __init__(
        self,
        words: Words,
        *,
        histogram: Histogram = "LCH",
        bins: int = 30,
        gate: Gate = "embedding",
        hidden: Sequence[int] = (10,),
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if gate == "idf" and (words.train_embedding or words.unit_size):
            what = "train_embedding is true" if words.train_embedding else "tokens are spelt"
            raise UsageError(
                f"{what}, but no gradient passes a histogram or the gate 'idf'",
                fix="set train_embedding = false and spelling = 'none', or gate = 'embedding'",
            )
        self.words = WordVectors(words)
        self.gate = TermGate(gate, size=words.size, pad_id=words.pad_id, dim=words.dim)
        self.match = feed_forward(known_bins(bins), hidden, outputs, activation="tanh")
        self.histogram: Histogram = known_histogram(histogram)
        self.cosines = TextMatrix("local interactions: cosines")
        self.bins = bins

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a = self.words(a)
        cosines = self.cosines(similarities(of_a, self.words(b)))
        matched = self.match(match_histogram(cosines, b.mask, bins=self.bins, kind=self.histogram))
        return (self.gate(a, of_a).unsqueeze(2) * matched).sum(dim=1)
