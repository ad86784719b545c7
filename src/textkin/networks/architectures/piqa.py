"""PIQA: independent phrases and questions, by LSTMs and self-attention over words and characters.

Source: Seo, Kwiatkowski, Parikh, Farhadi and Hajishirzi, "Phrase-Indexed Question Answering: A New Challenge
for Scalable Document Comprehension" (2018).
"""

from torch import Tensor

from textkin.networks.architectures.phrase_network import EncodedPhrases, PhraseAnswers
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.characters import CharacterMax, with_characters
from textkin.networks.nn.highway import Highway
from textkin.networks.nn.ignored_options import UNSPELT, refuse_ignored
from textkin.networks.nn.phrase_encoders import Encoding
from textkin.networks.nn.word_vectors import Words, WordVectors


class Piqa(EncodedPhrases):
    """Seo et al. 2018: words and characters, highways, an encoder of each end of each side.

    With ``heads = 1`` it is their LSTM, with ``heads = 2`` their LSTM with self-attention.

    Differences from the published code: queries of the self-attention have an LSTM of their own (unless
    ``faithful``, since it may change results), several layers work, padding is excluded from attention and
    maximum, and a question's words and characters have the same vocabulary as those of passages.

    Args:
        words: the tokens.
        encoding: the settings of the encoders.
        answers: the settings of phrases.
        char_dim: width of a character's vector, of which the maximum over a token is used.
        highways: highway layers over words and characters.
    """

    def __init__(
        self,
        words: Words,
        *,
        encoding: Encoding,
        answers: PhraseAnswers,
        char_dim: int = 200,
        highways: int = 2,
    ) -> None:
        if not words.unit_size:
            refuse_ignored(Piqa, {"char_dim": char_dim}, why=UNSPELT)
        characters = CharacterMax(size=words.unit_size, dim=char_dim) if words.unit_size else None
        joined = words.dim + (characters.width if characters else 0)
        super().__init__(dim=joined, encoding=encoding, answers=answers)
        self.words = WordVectors(words, spelt=False)
        self.characters = characters
        self.highway = Highway(dim=joined, layers=highways)

    def vectors(self, batch: TextBatch) -> Tensor:
        """The vectors of words and characters."""
        return self.highway(with_characters(self.words(batch), batch, self.characters))
