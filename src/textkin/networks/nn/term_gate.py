"""Weights of a question's words.

Source: Guo et al. 2016, "A Deep Relevance Matching Model for Ad-hoc Retrieval" (DRMM), term gating
network.

Shapes: B texts, N tokens, D width of their vectors.
"""

from typing import Literal

from torch import Tensor, nn

from textkin.base.errors import wrong_setting
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.masking import masked_softmax
from textkin.networks.nn.token_weights import InverseDocumentFrequency

Gate = Literal["idf", "embedding"]


class TermGate(nn.Module):
    """A softmax over a text's words of w times each one's features: its idf, or its vector.

    Args:
        gate: "idf", which has one weight, or "embedding", which has D.
        size: number of token ids.
        pad_id: the padding token.
        dim: D.

    Raises:
        UsageError: there is no such gate.
    """

    def __init__(self, gate: Gate, *, size: int, pad_id: int, dim: int) -> None:
        super().__init__()
        if gate not in ("idf", "embedding"):
            raise wrong_setting("gate", gate, expected="'idf' or 'embedding'")
        self.idf = InverseDocumentFrequency(size=size, pad_id=pad_id) if gate == "idf" else None
        self.weight = nn.Linear(1 if gate == "idf" else dim, 1, bias=False)

    def forward(self, text: TextBatch, vectors: Tensor) -> Tensor:
        """Weights that sum to 1 in each text, or to 0 in an empty one: vectors [B, N, D] to [B, N]."""
        known = vectors if self.idf is None else self.idf(text.ids).unsqueeze(2)
        return masked_softmax(self.weight(known).squeeze(2), text.mask)
