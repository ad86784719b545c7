"""MV-LSTM: similarities of all positional views of two texts, and the strongest matches.

Source: Wan, Lan, Guo, Xu, Pang and Cheng, "A Deep Architecture for Semantic Matching with Multiple Positional
Sentence Representations" (2016).

Shapes: as in ``matcher.py``; H width of a state, C slices, K matches.
"""

from collections.abc import Sequence
from typing import Literal

from torch import Tensor

from textkin.base.errors import wrong_setting
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.ignored_options import refuse_ignored
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.masking import pair_mask
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.neural_tensor import Bilinear, NeuralTensor
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.size_checks import check_sizes
from textkin.networks.nn.top_k import top_k
from textkin.networks.nn.word_vectors import Words, WordVectors

Interaction = Literal["cosine", "bilinear", "tensor"]


class MVLSTM(Matcher):
    """BiLSTM states of both texts, their similarities, the K largest ones of each slice, dense layers.

    Both texts share the BiLSTM (MatchZoo gives each its own). Padding has no similarities; if there are fewer
    than K, zeros fill the rest (MatchZoo includes padding). The paper's three interactions are supported:
    cosine and bilinear forms have one slice, a neural tensor has several.

    Args:
        hidden: H of one direction.
        interaction: "cosine", "bilinear" or "tensor".
        slices: C of a tensor.
        k: K.
        layers: widths of the dense layers.
        dropout: dropout on the token vectors and on the input of each dense layer.

    Raises:
        UsageError: there is no such interaction, or a size is less than 1.
    """

    def __init__(
        self,
        words: Words,
        *,
        hidden: int = 64,
        interaction: Interaction = "cosine",
        slices: int = 4,
        k: int = 20,
        layers: Sequence[int] = (64,),
        dropout: float = 0.2,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if interaction not in ("cosine", "bilinear", "tensor"):
            raise wrong_setting("interaction", interaction, expected="'cosine', 'bilinear' or 'tensor'")
        check_sizes(hidden=hidden, slices=slices, k=k)
        if interaction != "tensor":
            refuse_ignored(MVLSTM, {"slices": slices}, why=f"with interaction = {interaction!r}")
        self.words = WordVectors(words, dropout=dropout)
        self.views = Recurrent(cell="lstm", dim=words.dim, hidden=hidden, bidirectional=True)
        self.interaction: Bilinear | NeuralTensor | None = None
        if interaction == "bilinear":
            self.interaction = Bilinear(dim=self.views.width)
        elif interaction == "tensor":
            self.interaction = NeuralTensor(dim=self.views.width, slices=slices)
        name = {"cosine": "cosines", "bilinear": "bilinear form", "tensor": "neural tensor"}[interaction]
        self.matrices = TextMatrix(
            f"interactions of positions: {name}",
            parts=[f"slice {number}" for number in range(1, slices + 1)] if interaction == "tensor" else (),
        )
        matrices = slices if interaction == "tensor" else 1
        self.decide = feed_forward(matrices * k, layers, outputs, dropout=dropout)
        self.k = k

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a, of_b = self.views(self.words(a), a.mask), self.views(self.words(b), b.mask)
        if self.interaction is None:
            matrices = similarities(of_a, of_b).unsqueeze(1)
        else:
            matrices = self.interaction(of_a, of_b)
        matrices = self.matrices(matrices)
        kept = pair_mask(a.mask, b.mask).flatten(1).unsqueeze(1)
        strongest = top_k(matrices.flatten(2), kept, k=self.k)
        return self.decide(strongest.flatten(1))
