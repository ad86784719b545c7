"""Soft alignment of each token of a text with another text.

Shapes: B pairs, N tokens of the attending text (or of a), M tokens of the attended text (or of b), D width of
its states.
"""

import torch
from torch import Tensor, nn

from textkin.networks.nn.masking import masked_softmax
from textkin.networks.nn.matrix_recorder import TextMatrix


def attend(
    scores: Tensor,
    values: Tensor,
    mask: Tensor,
    *,
    zero_row: Tensor | None = None,
    shown: TextMatrix | None = None,
) -> Tensor:
    """For each token the mean of the other text's states, weighted by the softmax of the scores.

    Args:
        scores: scores of every token with every state. Shape [B, N, M].
        values: the states. Shape [B, M, D].
        mask: True at tokens of the other text; without any, the mean is zero. Shape [B, M].
        zero_row: the scores of an additional zero vector, for tokens without a counterpart. Shape [B, N, 1].
        shown: records the attention weights. Shape [B, N, M], with a zero row [B, N, M + 1].

    Returns:
        The means, shape [B, N, D].
    """
    kept = mask.unsqueeze(1)
    if zero_row is None:
        shares = masked_softmax(scores, kept)
    else:
        shares = masked_softmax(
            torch.cat([scores, zero_row], dim=2), torch.nn.functional.pad(kept, (0, 1), value=1)
        )
    if shown is not None:
        shares = shown(shares)
    return (shares if zero_row is None else shares[:, :, :-1]) @ values


class Alignment(nn.Module):
    """The soft counterparts of each token of a in b, and of each token of b in a.

    Args:
        scores: the recorded name of the scores.
        for_a: the recorded name of the weights of b's tokens.
        for_b: the recorded name of the weights of a's tokens.
    """

    def __init__(self, *, scores: str, for_a: str, for_b: str) -> None:
        super().__init__()
        self.scores = TextMatrix(scores)
        self.for_a = TextMatrix(for_a, shares=True)
        self.for_b = TextMatrix(for_b, rows="b", columns="a", shares=True)

    def forward(
        self, scores: Tensor, a: Tensor, b: Tensor, a_mask: Tensor, b_mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Means of b's states, shape [B, N, D], and of a's states, shape [B, M, D].

        Args:
            scores: scores of every token of a with every token of b. Shape [B, N, M].
            a: its states. Shape [B, N, D].
            b: its states. Shape [B, M, D].
            a_mask: True at tokens of a. Shape [B, N].
            b_mask: True at tokens of b. Shape [B, M].
        """
        scores = self.scores(scores)
        return (
            attend(scores, b, b_mask, shown=self.for_a),
            attend(scores.transpose(1, 2), a, a_mask, shown=self.for_b),
        )
