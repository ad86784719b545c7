"""ARC-I: a convolutional vector of each text, then dense layers on both.

Source: Hu, Lu, Li and Chen, "Convolutional Neural Network Architectures for Matching Natural Language
Sentences" (2014), sections 2 (the convolutional sentence model) and 3.1.

Shapes: as in ``matcher.py``; F filters of the last layer, R regions.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.comparison import joined
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.dynamic_pooling import region_max
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.size_checks import check_sizes
from textkin.networks.nn.window_pooling import window_max
from textkin.networks.nn.word_vectors import Words, WordVectors


class ArcI(Matcher):
    """Convolutions over tokens with maxima of neighbours between them, maxima of regions, dense layers.

    Both texts share the convolutions (MatchZoo gives each its own).

    Differences from the paper: it pads all texts to one length, which fixes the width of the last layer; here
    the last pooling has a fixed number of regions, whose bounds follow from a text's true length. Windows
    reach over a text's ends, where vectors are zero, so that a text of one token has states as well. The
    paper gates windows that lie wholly in padding; MatchZoo takes padding for text.

    Args:
        filters: filters of each convolution; the last is F.
        width: tokens that a filter spans.
        pool: number of neighbours whose maximum goes to the next convolution.
        regions: R.
        hidden: widths of the dense layers.
        dropout: dropout on the input of each dense layer.

    Raises:
        UsageError: there are no filters, or a size is less than 1.
    """

    def __init__(
        self,
        words: Words,
        *,
        filters: Sequence[int] = (128, 128),
        width: int = 3,
        pool: int = 2,
        regions: int = 2,
        hidden: Sequence[int] = (64,),
        dropout: float = 0.3,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        check_sizes(filters=filters, width=width, pool=pool, regions=regions)
        self.words = WordVectors(words)
        self.convolutions = nn.ModuleList(
            TokenConvolution(dim=before, filters=after, widths=(width,))
            for before, after in zip((words.dim, *filters), filters, strict=False)
        )
        self.decide = feed_forward(2 * regions * filters[-1], hidden, outputs, dropout=dropout)
        self.pool = pool
        self.regions = regions

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        return self.decide(joined(self._vectors(a), self._vectors(b)))

    def _vectors(self, batch: TextBatch) -> Tensor:
        """One vector per text. Shape [B, R x F]."""
        first, *others = self.convolutions
        mask, states = batch.mask, first(self.words(batch), batch.mask)
        for convolution in others:
            states, mask = window_max(states, mask, size=self.pool)
            states = convolution(states, mask)
        return region_max(states, mask, regions=self.regions).flatten(1)
