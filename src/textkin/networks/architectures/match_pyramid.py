"""MatchPyramid: convolutions over the matrix of word similarities, as over an image.

Source: Pang, Lan, Guo, Xu, Wan and Cheng, "Text Matching as Image Recognition" (2016).

Shapes: as in ``matcher.py``; F filters, R and C cells.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from torch import Tensor, channels_last, nn

from textkin.base.errors import UsageError
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.dynamic_pooling import convolved_max_pool
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.interaction import Similarity, known_similarity, similarities
from textkin.networks.nn.masking import pair_mask
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.word_vectors import Words, WordVectors


class MatchPyramid(Matcher):
    """One image of similarities, convolutions, dynamic max pooling over the true lengths, dense layers.

    Every convolution sees zeros beyond the texts, whatever padding contains. MatchZoo's later version
    averages over cells of the padded matrix; the earlier one needs padded lengths divisible by the grid.

    Args:
        similarity: "cosine" or "dot".
        filters: F of each convolution.
        width: tokens that a filter spans in each direction, an odd number.
        grid: R and C.
        hidden: widths of the dense layers but the last.
        dropout: dropout on the input of each dense layer.

    Raises:
        UsageError: there is no such similarity, there are no filters, or a number is less than 1 or even
            where it must be odd.
    """

    def __init__(
        self,
        words: Words,
        *,
        similarity: Similarity = "cosine",
        filters: Sequence[int] = (32,),
        width: int = 3,
        grid: Sequence[int] = (3, 10),
        hidden: Sequence[int] = (64,),
        dropout: float = 0.3,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if not filters or len(grid) != 2 or min(*filters, *grid, width) < 1 or width % 2 == 0:
            raise UsageError(
                f"filters={list(filters)}, width={width} and grid={list(grid)} make no network",
                fix="give one layer or more, an odd width, and numbers from 1",
                params=("filters", "width", "grid"),
            )
        self.words = WordVectors(words)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, after, width, padding=width // 2) for before, after in pairwise((1, *filters))
        )
        self.decide = feed_forward(filters[-1] * grid[0] * grid[1], hidden, outputs, dropout=dropout)
        self.similarity: Similarity = known_similarity(similarity)
        what = "cosines" if similarity == "cosine" else "dot products"
        self.matrix = TextMatrix(f"matching matrix M: {what}")
        self.grid = (grid[0], grid[1])

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        kept = pair_mask(a.mask, b.mask).unsqueeze(1)
        image = self.matrix(similarities(self.words(a), self.words(b), how=self.similarity)).unsqueeze(1)
        *inner, last = self.convolutions
        for convolution in inner:
            image = convolution(_within_texts(image, kept)).relu()
        # ReLU commutes with the maximum, and there are far fewer values after it.
        last = cast("nn.Conv2d", last)
        pooled = convolved_max_pool(image * kept, last, a.lengths, b.lengths, grid=self.grid).relu()
        return self.decide(pooled.flatten(1))


def _within_texts(image: Tensor, kept: Tensor) -> Tensor:
    """Zeros beyond the texts; with channels last in memory, convolutions are a third faster."""
    return (image * kept).contiguous(memory_format=channels_last)
