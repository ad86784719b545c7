"""K-NRM: kernels turn word similarities into soft counts, trained word vectors make the similarities.

Source: Xiong, Dai, Callan, Liu and Power, "End-to-End Neural Ad-hoc Ranking with Kernel Pooling" (2017).

Shapes: B pairs, N tokens of a, M tokens of b, D width of token vectors, K kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.interaction import similarities
from textkin.nn.kernels import KernelPooling, linear_on_counts
from textkin.nn.word_vectors import WordVectors


@final
class KNRM(Matcher):
    """Cosines of all pairs of tokens, kernel pooling, one linear layer.

    Differences from the paper, as in MatchZoo: ln(1 + count) instead of ln(count), which needs a floor for
    words without a match and a factor of 0.01 after it; no tanh on the score, whose order it doesn't change.
    Padding has no part (in MatchZoo it has).

    Args:
        size: number of token ids.
        pad_id: of padding.
        zero_ids: ids whose vectors stay zero.
        kernels: K, the last of which counts exact matches.
        sigma: width of the other kernels.
        exact_sigma: width of the last one.
        unit_size: number of character n-gram ids; 0 ignores the spelling.
        dim: D.
        outputs: 1 for a score, else the number of classes.
        train_embedding: False keeps the token vectors as they are.

    Raises:
        UsageError: there are fewer than two kernels, or a width is not positive.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        kernels: int = 21,
        sigma: float = 0.1,
        exact_sigma: float = 0.001,
        unit_size: int = 0,
        dim: int = 128,
        outputs: int = 1,
        train_embedding: bool = True,
    ) -> None:
        super().__init__()
        self.words = WordVectors(
            size=size,
            unit_size=unit_size,
            dim=dim,
            pad_id=pad_id,
            zero_ids=zero_ids,
            trainable=train_embedding,
        )
        self.pooling = KernelPooling(kernels=kernels, sigma=sigma, exact_sigma=exact_sigma)
        self.output = linear_on_counts(kernels, outputs)
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        cosines = similarities(self.words(a), self.words(b))
        scores: Tensor = self.output(self.pooling(cosines, a.mask, b.mask))
        return scores
