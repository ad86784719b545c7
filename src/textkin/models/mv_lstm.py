"""MV-LSTM: a text seen from each of its positions, every view with every other, the strongest matches.

Source: Wan, Lan, Guo, Xu, Pang and Cheng, "A Deep Architecture for Semantic Matching with Multiple Positional
Sentence Representations" (2016).

Shapes: B pairs, N tokens of a, M tokens of b, D width of a vector, H of a state, C slices, K matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, final

from torch import Tensor

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.models.matcher import Matcher
from textkin.nn.feed_forward import feed_forward
from textkin.nn.interaction import similarities
from textkin.nn.masking import pair_mask
from textkin.nn.neural_tensor import Bilinear, NeuralTensor
from textkin.nn.recurrent import Recurrent
from textkin.nn.sizes import check_sizes
from textkin.nn.top_k import top_k
from textkin.nn.word_vectors import WordVectors

Interaction = Literal["cosine", "bilinear", "tensor"]


@final
class MVLSTM(Matcher):
    """BiLSTM states of both texts, their similarities, the K largest ones of each slice, dense layers.

    Both texts share the BiLSTM (MatchZoo gives each its own). Padding has no similarities; where there are
    fewer than K, zeros fill the place (MatchZoo's padding takes part). The paper's three interactions are
    here: cosine and bilinear forms have one slice, a neural tensor has several.

    Args:
        size: number of token ids.
        pad_id: of padding.
        hidden: H of one direction.
        zero_ids: ids whose vectors stay zero.
        interaction: "cosine", "bilinear" or "tensor".
        slices: C of a tensor.
        k: K.
        layers: widths of the dense layers.
        dim: D.
        outputs: 1 for a score, else the number of classes.
        dropout: on the token vectors and on what each dense layer takes.
        train_embedding: False keeps the token vectors as they are.
        unit_size: number of character n-gram ids; 0 ignores the spelling.

    Raises:
        UsageError: the interaction is not known, or a size is less than 1.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        hidden: int = 64,
        zero_ids: Sequence[int] = (),
        interaction: Interaction = "cosine",
        slices: int = 4,
        k: int = 20,
        layers: Sequence[int] = (64,),
        dim: int = 128,
        outputs: int = 1,
        dropout: float = 0.2,
        train_embedding: bool = True,
        unit_size: int = 0,
    ) -> None:
        super().__init__()
        if interaction not in ("cosine", "bilinear", "tensor"):
            raise UsageError(f"interaction is {interaction!r}, expected 'cosine', 'bilinear' or 'tensor'")
        check_sizes(hidden=hidden, slices=slices, k=k)
        self.words = WordVectors(
            size=size,
            zero_ids=zero_ids,
            dim=dim,
            pad_id=pad_id,
            trainable=train_embedding,
            dropout=dropout,
            unit_size=unit_size,
        )
        self.views = Recurrent(cell="lstm", dim=dim, hidden=hidden, bidirectional=True)
        self.interaction: Bilinear | NeuralTensor | None = None
        if interaction == "bilinear":
            self.interaction = Bilinear(dim=self.views.width)
        elif interaction == "tensor":
            self.interaction = NeuralTensor(dim=self.views.width, slices=slices)
        matrices = slices if interaction == "tensor" else 1
        self.decide = feed_forward(matrices * k, layers, outputs, dropout=dropout)
        self.k = k
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a, of_b = self.views(self.words(a), a.mask), self.views(self.words(b), b.mask)
        if self.interaction is None:
            matrices = similarities(of_a, of_b).unsqueeze(1)
        else:
            matrices = self.interaction(of_a, of_b)
        kept = pair_mask(a.mask, b.mask).flatten(1).unsqueeze(1)
        strongest = top_k(matrices.flatten(2), kept, k=self.k)
        scores: Tensor = self.decide(strongest.flatten(1))
        return scores
