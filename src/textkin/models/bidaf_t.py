"""BiDAF-T: BiDAF that scores a sentence instead of pointing at a span in it.

Source: Min, Seo and Hajishirzi, "Question Answering through Transfer Learning from Large Fine-grained
Supervision Data" (2017); the layers are those of Seo et al. 2017 (``nn/bidaf.py``).

Shapes: as in ``matcher.py``, a being the question and b the context; H width of one direction.
"""

from typing import final

from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.bidaf import BiDAF
from textkin.nn.characters import CharacterCNN
from textkin.nn.pooling import Pooling, known_pooling, pool
from textkin.nn.word_vectors import Words, WordVectors


@final
class BidafT(Matcher):
    """BiDAF up to its modelling layer M, pooled over the sentence, and a linear layer.

    The question is the query and the sentence the context. All but ``output`` can come from a model trained
    on spans or on SQuAD-T, which is what the paper is about.

    Where there is a spelling, its units are read as characters.

    Differences from the published code and its ports: padding has no share in attention, maxima and pooling;
    query to context takes the softmax of the similarities, not of their softmax; question and sentence share
    the character network; every word of the question has its characters.

    Args:
        char_dim: width of a character's vector.
        char_filters: filters over a token's characters.
        char_window: characters that a filter spans.
        hidden: H.
        highways: highway layers over words and characters.
        pooling: of M over the sentence: "max", or "sum" or "last" as the paper's code has them too.
        dropout: on what each BiLSTM takes and on M.

    Raises:
        UsageError: there is no pooling of that name.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        words: Words,
        *,
        char_dim: int = 8,
        char_filters: int = 100,
        char_window: int = 5,
        hidden: int = 100,
        highways: int = 2,
        pooling: Pooling = "max",
        dropout: float = 0.2,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        vectors = WordVectors(words, spelt=False)
        characters = (
            CharacterCNN(size=words.unit_size, dim=char_dim, filters=char_filters, window=char_window)
            if words.unit_size
            else None
        )
        self.layers = BiDAF(
            vectors, dim=words.dim, characters=characters, hidden=hidden, highways=highways, dropout=dropout
        )
        self.output = nn.Linear(2 * hidden, outputs)
        self.pooling: Pooling = known_pooling(pooling)

    @property
    def words(self) -> WordVectors:
        """The token vectors."""
        return self.layers.words

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        modelled = self.layers(a, b).modelled
        scores: Tensor = self.output(pool(modelled, b.mask, how=self.pooling))
        return scores
