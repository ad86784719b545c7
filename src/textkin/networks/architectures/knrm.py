"""K-NRM: kernels turn similarities of trained word vectors into soft counts.

Source: Xiong, Dai, Callan, Liu and Power, "End-to-End Neural Ad-hoc Ranking with Kernel Pooling" (2017).

Shapes: as in ``matcher.py``; K kernels.
"""

from torch import Tensor

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.kernels import KernelPooling, linear_on_counts
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.word_vectors import Words, WordVectors


class KNRM(Matcher):
    """Cosines of all pairs of tokens, kernel pooling, one linear layer.

    Differences from the paper, as in MatchZoo: ln(1 + count) instead of ln(count), which needs a floor for
    words without a match and a factor of 0.01 after it; no tanh on the score, as it doesn't change the order.
    Padding is excluded (MatchZoo includes it).

    Args:
        kernels: K, the last of which counts exact matches.
        sigma: width of the other kernels.
        exact_sigma: width of the last one.

    Raises:
        UsageError: there are fewer than two kernels, or a width is not positive.
    """

    def __init__(
        self,
        words: Words,
        *,
        kernels: int = 21,
        sigma: float = 0.1,
        exact_sigma: float = 0.001,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        self.words = WordVectors(words)
        self.pooling = KernelPooling(kernels=kernels, sigma=sigma, exact_sigma=exact_sigma)
        self.cosines = TextMatrix("translation matrix M: cosines")
        self.output = linear_on_counts(kernels, outputs)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        cosines = self.cosines(similarities(self.words(a), self.words(b)))
        return self.output(self.pooling(cosines, a.mask, b.mask))
