"""From two vectors to a score by the angle between them."""

from torch import Tensor, nn

from textkin.networks.nn.pooling import unit


class CosineScore(nn.Module):
    """A linear function of the cosine: [B, D] and [B, D] to [B, outputs].

    A single score initially grows with the cosine by ``scale``, since margins and logistic losses need a
    larger range than cosines have. A zero vector has the cosine 0 with every vector.

    Args:
        outputs: 1 for a score, otherwise the number of classes.
        scale: the initial slope of one score.
    """

    def __init__(self, *, outputs: int, scale: float = 5.0) -> None:
        super().__init__()
        self.linear = nn.Linear(1, outputs)
        if outputs == 1:
            nn.init.constant_(self.linear.weight, scale)
            nn.init.zeros_(self.linear.bias)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """Scores or class logits of the pairs."""
        cosines = (unit(a) * unit(b)).sum(dim=-1, keepdim=True)
        return self.linear(cosines)
