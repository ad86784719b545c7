"""BiDAF's layers shared by its span reader and its sentence scorer.

Shapes: B pairs, T tokens of the context, J tokens of the question, H width of one direction.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.attention_flow import AttentionFlow
from textkin.networks.nn.characters import CharacterCNN, with_characters
from textkin.networks.nn.highway import Highway
from textkin.networks.nn.ignored_options import UNSPELT, refuse_ignored
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.word_vectors import Words, WordVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes of the layers.

    Attributes:
        char_dim: width of a character's vector.
        char_filters: filters over a token's characters.
        char_window: characters that a filter spans.
        hidden: H.
        highways: highway layers over words and characters.
        dropout: dropout on the input of each BiLSTM and on M.
    """

    char_dim: int = 8
    char_filters: int = 100
    char_window: int = 5
    hidden: int = 100
    highways: int = 2
    dropout: float = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """BiDAF's states of each token of the context; meaningless at padding.

    Attributes:
        attended: G, the context's states combined with the question. Shape [B, T, 8H].
        modelled: M, the same after two more layers over the context. Shape [B, T, 2H].
    """

    attended: Tensor
    modelled: Tensor


class BiDAF(nn.Module):
    """Words and characters, highways, a contextual BiLSTM for both texts, attention flow, modelling BiLSTMs.

    Seo et al. 2017, "Bidirectional Attention Flow for Machine Comprehension", section 2, layers 1 to 5 (the
    sixth, the output layer, is the models').

    Args:
        words: the tokens. Their spelling, where there is one, is read as characters.
        sizes: the sizes of the layers.
    """

    def __init__(self, words: Words, sizes: Sizes) -> None:
        super().__init__()
        if not words.unit_size:
            ignored = {name: getattr(sizes, name) for name in ("char_dim", "char_filters", "char_window")}
            refuse_ignored(Sizes, ignored, why=UNSPELT)
        self.words = WordVectors(words, spelt=False)
        self.characters = (
            CharacterCNN(
                size=words.unit_size,
                dim=sizes.char_dim,
                filters=sizes.char_filters,
                window=sizes.char_window,
            )
            if words.unit_size
            else None
        )
        joined = words.dim + (self.characters.width if self.characters else 0)
        hidden = sizes.hidden
        self.highway = Highway(dim=joined, layers=sizes.highways)
        self.contextual = Recurrent(cell="lstm", dim=joined, hidden=hidden, bidirectional=True)
        self.attention = AttentionFlow(dim=2 * hidden)
        self.modelling = Recurrent(
            cell="lstm", dim=8 * hidden, hidden=hidden, layers=2, bidirectional=True, dropout=sizes.dropout
        )
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(self, question: TextBatch, context: TextBatch) -> Flow:
        """G and M of the pairs (question_i, context_i); equal contexts are read once."""
        contexts, place = context.distinct()
        # Not states[place]: threads would sum the gradient in any order.
        states = self._read(contexts).index_select(0, place)
        attended: Tensor = self.dropout(
            self.attention(states, self._read(question), context.mask, question.mask)
        )
        return Flow(attended, self.modelling(attended, context.mask))

    def _read(self, batch: TextBatch) -> Tensor:
        """Contextual states, H or U in the paper. Shape [B, T or J, 2H]."""
        vectors = self.highway(with_characters(self.words(batch), batch, self.characters))
        return self.contextual(self.dropout(vectors), batch.mask)
