"""The four encoders of phrase-indexed question answering: of passages and questions, for both ends.

Shapes: B texts, L tokens, D width of a token, H width of one direction of an LSTM, N heads.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from textkin.base.errors import UsageError, wrong_setting
from textkin.networks.nn.matrix_recorder import TextMatrix, TextOf
from textkin.networks.nn.pooling import masked_max
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.self_attention_head import SelfAttentionHead

Read = Literal["first", "max"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """The settings of the encoders.

    Attributes:
        hidden: H.
        heads: N; with 1, passages have no self-attention, questions have one head.
        layers: the number of stacked BiLSTMs.
        dropout: dropout on the input of the BiLSTMs.
        read: the source of a question's vector: its "first" token, or the "max" over all of them.
        faithful: follow the published code; see
            :class:`textkin.networks.nn.self_attention_head.SelfAttentionHead`.
    """

    hidden: int = 128
    heads: int = 1
    layers: int = 1
    dropout: float = 0.2
    read: Read = "first"
    faithful: bool = False

    @property
    def width(self) -> int:
        """Width of an end's vector."""
        return 2 * self.hidden * self.heads

    def __post_init__(self) -> None:
        if self.heads < 1:
            raise UsageError(f"heads={self.heads} is no number of heads", fix="give 1 or more")
        if self.read not in ("first", "max"):
            raise wrong_setting("read", self.read, expected="'first' or 'max'")


class PhraseEncoders(nn.Module):
    """Encoders without shared weights: of a passage's and of a question's start and end.

    Seo et al. 2018, "Phrase-Indexed Question Answering".

    Args:
        dim: D.
        encoding: their settings.

    Attributes:
        width: width of an end's vector, 2HN.
    """

    def __init__(self, *, dim: int, encoding: Encoding) -> None:
        super().__init__()
        self.passage_start = _PassageEnd(dim, encoding, end="start")
        self.passage_end = _PassageEnd(dim, encoding, end="end")
        self.question_start = _QuestionEnd(dim, encoding, end="start")
        self.question_end = _QuestionEnd(dim, encoding, end="end")
        self.width = encoding.width

    def passages(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors of each token as the first and as the last one: [B, L, D] to [B, L, 2HN], twice."""
        return self.passage_start(vectors, mask), self.passage_end(vectors, mask)

    def questions(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Query vectors for the first and for the last token: [B, L, D] to [B, 2HN], twice."""
        return self.question_start(vectors, mask), self.question_end(vectors, mask)


class _PassageEnd(nn.Module):
    """States concatenated with the outputs of N - 1 heads."""

    def __init__(self, dim: int, encoding: Encoding, *, end: str) -> None:
        super().__init__()
        self.states, self.dropout = _states(dim, encoding), nn.Dropout(encoding.dropout)
        self.heads = _heads(encoding, encoding.heads - 1, of="b", name=f"self-attention, passage's {end}")

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        states: Tensor = self.states(self.dropout(vectors), mask)
        return torch.cat([states, *(head(states, mask) for head in self.heads)], dim=-1)


class _QuestionEnd(nn.Module):
    """The outputs of N heads, read at one position."""

    def __init__(self, dim: int, encoding: Encoding, *, end: str) -> None:
        super().__init__()
        self.states, self.dropout = _states(dim, encoding), nn.Dropout(encoding.dropout)
        self.heads = _heads(encoding, encoding.heads, of="a", name=f"self-attention, question's {end}")
        self.reads_first = encoding.read == "first"

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        states: Tensor = self.states(self.dropout(vectors), mask)
        found = torch.cat([head(states, mask, first=self.reads_first) for head in self.heads], dim=-1)
        return found.squeeze(1) if self.reads_first else masked_max(found, mask)


def _states(dim: int, encoding: Encoding) -> Recurrent:
    return Recurrent(cell="lstm", dim=dim, hidden=encoding.hidden, layers=encoding.layers, bidirectional=True)


def _heads(encoding: Encoding, count: int, *, of: TextOf, name: str) -> nn.ModuleList:
    """Attention heads, the first of two texts being the question."""
    return nn.ModuleList(
        SelfAttentionHead(
            dim=2 * encoding.hidden,
            hidden=encoding.hidden,
            faithful=encoding.faithful,
            shown=TextMatrix(f"{name}, head {number}", rows=of, columns=of, shares=True),
        )
        for number in range(1, count + 1)
    )
