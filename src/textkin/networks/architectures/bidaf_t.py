"""BiDAF-T: BiDAF that scores a sentence instead of extracting a span from it.

Source: Min, Seo and Hajishirzi, "Question Answering through Transfer Learning from Large Fine-grained
Supervision Data" (2017); the layers are those of Seo et al. 2017 (``nn/bidaf.py``).

Shapes: as in ``matcher.py``, a being the question and b the context; H width of one direction.
"""

from torch import Tensor, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.bidaf import BiDAF, Sizes
from textkin.networks.nn.pooling import Pooling, known_pooling, pool
from textkin.networks.nn.word_vectors import Words, WordVectors


class BidafT(Matcher):
    """BiDAF up to its modelling layer M, pooled over the sentence, and a linear layer.

    The question is the query and the sentence the context. All layers but ``output`` can come from a model
    trained on spans or on SQuAD-T, which is the paper's subject.

    With a spelling, its units are read as characters.

    Differences from the published code and its ports: padding is excluded from attention, maxima and pooling;
    query to context takes the softmax of the similarities, not of their softmax; question and sentence share
    the character network; every word of the question has its characters.

    Args:
        sizes: the sizes of the layers.
        pooling: pooling of M over the sentence: "max", or "sum" or "last" as in the paper's code.

    Raises:
        UsageError: there is no such pooling.
    """

    def __init__(self, words: Words, *, sizes: Sizes, pooling: Pooling = "max", outputs: int = 1) -> None:
        super().__init__(outputs)
        self.layers = BiDAF(words, sizes)
        self.output = nn.Linear(2 * sizes.hidden, outputs)
        self.pooling: Pooling = known_pooling(pooling)

    @property
    def words(self) -> WordVectors:
        """The token vectors."""
        return self.layers.words

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        modelled = self.layers(a, b).modelled
        return self.output(pool(modelled, b.mask, how=self.pooling))
