"""Conv-KNRM: kernel pooling over the similarities of phrases of several lengths.

Source: Dai, Xiong, Callan and Liu, "Convolutional Neural Networks for Soft-Matching N-Grams in Ad-hoc Search"
(2018).

Shapes: as in ``matcher.py``; F filters, G lengths of phrases, K kernels.
"""

from collections.abc import Sequence

from torch import Tensor, stack

from textkin.base.errors import UsageError
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.kernels import KernelPooling, linear_on_counts
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.word_vectors import Words, WordVectors


class ConvKNRM(Matcher):
    """Vectors of phrases by convolutions, kernels over the cosines of all with all, one linear layer.

    Differences from the paper: ln(1 + count) and no tanh on the score, as in K-NRM (``knrm.py``); a phrase of
    three tokens is centred on its middle one instead of following its first. Padding is excluded (MatchZoo
    includes it).

    Args:
        ngrams: tokens in a phrase, G lengths that both texts share.
        cross_match: compare phrases of different lengths, too.
        filters: F, the width of a phrase's vector.
        kernels: K, the last of which counts exact matches.
        sigma: width of the other kernels.
        exact_sigma: width of the last one.

    Raises:
        UsageError: there are no phrases or filters, fewer than two kernels, or a width is not positive.
    """

    def __init__(
        self,
        words: Words,
        *,
        ngrams: Sequence[int] = (1, 2, 3),
        cross_match: bool = True,
        filters: int = 128,
        kernels: int = 11,
        sigma: float = 0.1,
        exact_sigma: float = 0.001,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if not ngrams or min(*ngrams, filters) < 1:
            raise UsageError(
                f"ngrams={list(ngrams)} and filters={filters} make no phrases",
                fix="give one length or more, and numbers from 1",
            )
        self.words = WordVectors(words)
        self.phrases = TokenConvolution(dim=words.dim, filters=filters, widths=ngrams)
        self.pooling = KernelPooling(kernels=kernels, sigma=sigma, exact_sigma=exact_sigma)
        lengths = len(ngrams)
        self.output = linear_on_counts(kernels * lengths * (lengths if cross_match else 1), outputs)
        others = [[other for other in ngrams if cross_match or other == one] for one in ngrams]
        self.cosines = TextMatrix(
            "translation matrix M: cosines",
            parts=[
                f"n-grams of {one} with n-grams of {other}"
                for one, partners in zip(ngrams, others, strict=True)
                for other in partners
            ],
        )
        self.ngrams = lengths
        self.cross_match = cross_match

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        images = self.cosines(self._cosines(self._phrases(a), self._phrases(b)))
        counts = self.pooling(images, a.mask[:, None, None], b.mask[:, None, None])
        return self.output(counts.flatten(1))

    def _phrases(self, text: TextBatch) -> Tensor:
        """Vectors of the phrases of each length at each token. Shape [B, G, L, F]."""
        joined: Tensor = self.phrases(self.words(text), text.mask)
        return stack(joined.chunk(self.ngrams, dim=-1), dim=1)

    def _cosines(self, of_a: Tensor, of_b: Tensor) -> Tensor:
        """Phrases [B, G, N, F] and [B, G, M, F] to [B, G, G, N, M], or to [B, G, 1, N, M] if not crossed."""
        pairs, lengths, rows, _ = of_a.shape
        if not self.cross_match:
            same = similarities(of_a.flatten(0, 1), of_b.flatten(0, 1))
            return same.view(pairs, lengths, 1, rows, -1)
        cosines = similarities(of_a.flatten(1, 2), of_b.flatten(1, 2))
        return cosines.view(pairs, lengths, rows, lengths, -1).transpose(2, 3)
