"""DRMM-TKS: DRMM with each word's strongest matches instead of a histogram.

Source: MatchZoo (Fan et al. 2017, "MatchZoo: A Toolkit for Deep Text Matching"), where it is DRMM_TKS.

Shapes: as in ``matcher.py``; K matches of a token.
"""

from torch import Tensor, nn

from textkin.base.errors import wrong_setting
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.term_gate import Gate, TermGate
from textkin.networks.nn.top_k import top_k
from textkin.networks.nn.word_vectors import Words, WordVectors


class DRMMTKS(Matcher):
    """The K largest cosines of each word of a, a dense layer over them, a sum weighted by the term gate.

    Differences from MatchZoo: texts aren't truncated, and padding is excluded both from the gate and from the
    strongest matches, where zeros fill the positions missing in a short b. The last layer is linear: a
    softplus there gives no negative score. Classes have their own logits, which MatchZoo computes from the
    single score.

    Args:
        k: K.
        hidden: width of the dense layer.
        dropout: dropout on the dense layer's output.
        gate: the input of the word weights: "idf" or "embedding".

    Raises:
        UsageError: k is less than 1, or there is no such gate.
    """

    def __init__(
        self,
        words: Words,
        *,
        k: int = 10,
        hidden: int = 100,
        dropout: float = 0.5,
        gate: Gate = "embedding",
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if k < 1:
            raise wrong_setting("k", k, expected="1 or more")
        self.gate = TermGate(gate, size=words.size, pad_id=words.pad_id, dim=words.dim)
        self.words = WordVectors(words)
        self.match = nn.Sequential(
            nn.Linear(k, hidden), nn.Softplus(), nn.Dropout(dropout), nn.Linear(hidden, outputs)
        )
        self.cosines = TextMatrix("local interactions: cosines")
        self.k = k

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        vectors = self.words(a)
        cosines = self.cosines(similarities(vectors, self.words(b)))
        strongest = top_k(cosines, b.mask.unsqueeze(1), k=self.k)
        weighted: Tensor = self.gate(a, vectors).unsqueeze(2) * self.match(strongest)
        return weighted.sum(dim=1)
