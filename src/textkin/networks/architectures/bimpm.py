"""BiMPM: bilateral multi-perspective matching.

Source: Wang, Hamza and Florian, "Bilateral Multi-Perspective Matching for Natural Language Sentences" (2017).

Shapes: as in ``matcher.py``; H width of one direction.
"""

from collections.abc import Sequence

from torch import Tensor, cat, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.characters import CharacterLSTM, with_characters
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.highway import Highway
from textkin.networks.nn.ignored_options import UNSPELT, refuse_ignored
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.perspectives import MATCHINGS, Matching, Perspectives, ReadText
from textkin.networks.nn.pooling import final_states
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.word_vectors import Words, WordVectors


class BiMPM(Matcher):
    """Words and characters, a BiLSTM, matchings of each text with the other, a BiLSTM over these, two layers.

    Forward states are matched with forward states and backward ones with backward ones, each with its own
    weights, which both texts share. The decision uses the final states of the second BiLSTM, of both texts
    and in both directions. With a spelling, its units are read as characters.

    Differences from the published code: a text ends with its own last token, and padding is excluded from
    maxima and attention (a widely used port masks neither); the attentive sum is not divided by that of its
    weights (see ``nn/perspectives.py``). The authors' configuration for Quora is ``matchings=["full",
    "attentive"], perspectives=5, char_hidden=40, highway=True``; the paper keeps the word vectors fixed
    (``train_embedding=False``).

    Args:
        perspectives: perspectives per matching.
        matchings: some of "full", "maxpool", "attentive" and "max-attentive".
        hidden: H of both BiLSTMs.
        char_dim: width of a character's vector.
        char_hidden: width of the LSTM's output over a token's characters.
        highway: use highway layers on the token vectors, on the matchings and on the final states.
        dropout: dropout on the input of every layer.

    Raises:
        UsageError: the matchings or the number of perspectives are impossible.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        words: Words,
        *,
        perspectives: int = 20,
        matchings: Sequence[Matching] = MATCHINGS,
        hidden: int = 100,
        char_dim: int = 20,
        char_hidden: int = 50,
        highway: bool = False,
        dropout: float = 0.1,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if not words.unit_size:
            refuse_ignored(BiMPM, {"char_dim": char_dim, "char_hidden": char_hidden}, why=UNSPELT)
        self.words = WordVectors(words, spelt=False)
        self.characters = (
            CharacterLSTM(size=words.unit_size, dim=char_dim, hidden=char_hidden) if words.unit_size else None
        )
        joined = words.dim + (char_hidden if words.unit_size else 0)
        self.context = Recurrent(cell="lstm", dim=joined, hidden=hidden, bidirectional=True)
        self.matchings = nn.ModuleList(
            Perspectives(
                dim=hidden,
                perspectives=perspectives,
                matchings=matchings,
                shown=TextMatrix(f"attention α: cosines of {direction} states"),
            )
            for direction in ("forward", "backward")
        )
        matched = 2 * len(matchings) * perspectives
        self.aggregation = Recurrent(cell="lstm", dim=matched, hidden=hidden, bidirectional=True)
        self.highways = nn.ModuleList(
            Highway(dim=width, layers=int(highway)) for width in (joined, matched, 4 * hidden)
        )
        self.prediction = feed_forward(4 * hidden, [2 * hidden], outputs, activation="tanh", dropout=dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        found = [
            matching(left, right)
            for matching, left, right in zip(self.matchings, self._read(a), self._read(b), strict=True)
        ]
        ends: list[Tensor] = []
        for text, parts in zip((a, b), zip(*found, strict=True), strict=True):
            matched = self.dropout(self.highways[1](cat(parts, dim=-1)))
            ends += final_states(self.aggregation(matched, text.mask), text.mask)
        return self.prediction(self.highways[2](cat(ends, dim=-1)))

    def _read(self, text: TextBatch) -> list[ReadText]:
        """A text as read by the forward and the backward LSTM."""
        vectors = self.highways[0](with_characters(self.words(text), text, self.characters))
        states = self.dropout(self.context(self.dropout(vectors), text.mask))
        directions = zip(states.chunk(2, dim=-1), final_states(states, text.mask), strict=True)
        return [ReadText(one, text.mask, end) for one, end in directions]
