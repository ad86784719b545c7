"""DUET: exact matches with their positions, next to a matching of learned vectors.

Source: Mitra, Diaz and Craswell, "Learning to Match Using Local and Distributed Representations of Text for
Web Search" (2017), sections 3.1 (the local model) and 3.2 (the distributed one).

Shapes: as in ``matcher.py``; F filters, R regions.
"""

import torch
from torch import Tensor, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.dynamic_pooling import region_max
from textkin.networks.nn.exact_match import exact_matches
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.letter_ngrams import LetterNgrams
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.pooling import masked_max
from textkin.networks.nn.size_checks import check_sizes
from textkin.networks.nn.word_vectors import Words, WordVectors


class DUET(Matcher):
    """The sum of the outputs of a local and a distributed model.

    The local model takes, for each of the first tokens of a, the positions in b where it occurs: a filter has
    one weight per position. The distributed model takes the largest responses of filters over the tokens of
    a, and those in each region of b, and multiplies them.

    With ``unit_size`` the distributed model reads character n-grams, as in the paper, and of word vectors
    only the width matters, which becomes D; with ``unit_size = 0`` it reads word vectors.

    Differences from the paper: instead of windows of 100 words b has a fixed number of regions, whose bounds
    follow from its true length; n-gram counts are projected to D before the convolution, which uses ReLU
    instead of the paper's tanh; ids shared by all unknown words match nothing.

    Args:
        a_length: the first tokens of a that the local model reads.
        b_length: the first tokens of b that the local model reads.
        filters: F of both models.
        width: tokens that a filter of the distributed model spans.
        regions: R.
        hidden: width of the dense layers.
        dropout: dropout on the input of the dense layers.

    Raises:
        UsageError: ``unit_size`` is 1 or negative, or a size is less than 1.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        words: Words,
        *,
        a_length: int = 20,
        b_length: int = 100,
        filters: int = 64,
        width: int = 3,
        regions: int = 4,
        hidden: int = 64,
        dropout: float = 0.2,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        check_sizes(a_length=a_length, b_length=b_length, filters=filters, width=width, hidden=hidden)
        check_sizes(regions=regions)
        self.shape = (a_length, b_length)
        self.register_buffer("unknown", torch.tensor(words.zero_ids, dtype=torch.int64), persistent=False)
        self.unknown: Tensor
        self.matches = TextMatrix("interaction matrix X of the local model: exact matches")
        self.places = nn.Linear(b_length, filters, bias=False)
        self.local = feed_forward(
            a_length * filters, (hidden, hidden), outputs, activation="tanh", dropout=dropout
        )
        self.words: LetterNgrams | WordVectors
        if words.unit_size:
            self.words = LetterNgrams(unit_size=words.unit_size, dim=words.dim)
        else:
            self.words = WordVectors(words)
        self.over_a = TokenConvolution(dim=words.dim, filters=filters, widths=(width,))
        self.over_b = TokenConvolution(dim=words.dim, filters=filters, widths=(width,))
        self.of_a = nn.Linear(filters, filters)
        self.of_b = nn.Linear(filters, filters)
        self.distributed = feed_forward(
            regions * filters, (hidden, hidden), outputs, activation="tanh", dropout=dropout
        )
        self.regions = regions

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        return self._local(a, b) + self._distributed(a, b)

    def _local(self, a: TextBatch, b: TextBatch) -> Tensor:
        matches = self.matches(exact_matches(a, b, unknown=self.unknown, shape=self.shape))
        return self.local(torch.tanh(self.places(matches)).flatten(1))

    def _distributed(self, a: TextBatch, b: TextBatch) -> Tensor:
        highest = masked_max(self.over_a(self.words(a), a.mask), a.mask)
        by_region = region_max(self.over_b(self.words(b), b.mask), b.mask, regions=self.regions)
        of_a, of_b = torch.tanh(self.of_a(highest)), torch.tanh(self.of_b(by_region))
        return self.distributed((of_a.unsqueeze(1) * of_b).flatten(1))
