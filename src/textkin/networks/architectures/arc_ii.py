"""ARC-II: the texts interact before either has its own vector.

Source: Hu, Lu, Li and Chen, "Convolutional Neural Network Architectures for Matching Natural Language
Sentences" (2014), section 3.2.

Shapes: as in ``matcher.py``; F filters, R and C regions.
"""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn

from textkin.base.errors import UsageError
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.arc_ii_windows import WindowGrid
from textkin.networks.nn.dynamic_pooling import dynamic_max_pool
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.size_checks import check_sizes
from textkin.networks.nn.window_pooling import grid_window_max
from textkin.networks.nn.word_vectors import Words, WordVectors


class ArcII(Matcher):
    """Every window of a with every window of b, convolutions and maxima in two directions, dense layers.

    Differences from the paper: its texts have one length, padded, which fixes the width of the last layer;
    here the last pooling has a fixed number of regions, whose bounds follow from the true lengths. Windows
    reach over a text's ends, where vectors are zero. MatchZoo takes padding for text.

    Args:
        filters: filters of the first layer, over pairs of windows, and of each convolution over the grid
            after it.
        width: tokens that a window of the first layer spans.
        grid_width: cells that the later filters span in each direction, an odd number.
        pool: number of neighbours in each direction whose maximum goes to the next convolution.
        regions: R and C.
        hidden: widths of the dense layers.
        dropout: dropout on the input of each dense layer.

    Raises:
        UsageError: there are no filters, or a size is less than 1 or even where it must be odd.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        words: Words,
        *,
        filters: Sequence[int] = (32, 32),
        width: int = 3,
        grid_width: int = 3,
        pool: int = 2,
        regions: Sequence[int] = (3, 3),
        hidden: Sequence[int] = (64,),
        dropout: float = 0.3,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        check_sizes(filters=filters, width=width, grid_width=grid_width, pool=pool, regions=regions)
        if len(regions) != 2 or grid_width % 2 == 0:
            raise UsageError(
                f"regions={list(regions)} and grid_width={grid_width}, expected two numbers and an odd one"
            )
        self.words = WordVectors(words)
        self.meet = WindowGrid(dim=words.dim, filters=filters[0], width=width)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, after, grid_width, padding=grid_width // 2)
            for before, after in pairwise(filters)
        )
        cells = regions[0] * regions[1]
        self.decide = feed_forward(cells * filters[-1], hidden, outputs, dropout=dropout)
        self.layer_1 = TextMatrix("layer 1: windows around the tokens, mean over the filters")
        self.pool = pool
        self.regions = (regions[0], regions[1])

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        rows, columns = a.mask, b.mask
        grid = self.meet(self.words(a), self.words(b))
        grid = self.layer_1(grid)
        for convolution in self.convolutions:
            grid, rows, columns = grid_window_max(grid, rows, columns, size=self.pool)
            grid = convolution(grid).relu()
        pooled = dynamic_max_pool(grid, rows.sum(dim=1), columns.sum(dim=1), grid=self.regions)
        return self.decide(pooled.flatten(1))
