"""Trained similarities of every token of one text with every token of the other (Wan et al. 2016).

Shapes: B pairs, N tokens of a, M tokens of b, D width of states, C slices.
"""

import torch
from torch import Tensor, nn


class Bilinear(nn.Module):
    """u' M v + c of every pair of states: [B, N, D] and [B, M, D] to [B, 1, N, M].

    Args:
        dim: D.
    """

    def __init__(self, *, dim: int) -> None:
        super().__init__()
        self.matrices = _matrices(1, dim)
        self.constant = nn.Parameter(torch.zeros(()))

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """The similarities; those at padding are meaningless."""
        return _products(a, b, self.matrices) + self.constant


class NeuralTensor(nn.Module):
    """relu(u' M_c v + w_c [u; v] + d_c), c = 1 ... C: [B, N, D] and [B, M, D] to [B, C, N, M].

    Args:
        dim: D.
        slices: C.
    """

    def __init__(self, *, dim: int, slices: int) -> None:
        super().__init__()
        self.matrices = _matrices(slices, dim)
        self.over_a = nn.Linear(dim, slices)
        self.over_b = nn.Linear(dim, slices, bias=False)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """The similarities; those at padding are meaningless."""
        of_a = self.over_a(a).transpose(1, 2).unsqueeze(3)
        of_b = self.over_b(b).transpose(1, 2).unsqueeze(2)
        scores: Tensor = _products(a, b, self.matrices) + of_a + of_b
        return scores.relu()


def _matrices(slices: int, dim: int) -> nn.Parameter:
    """The identity's part of a dot product, plus noise: similar states are similar from the start."""
    return nn.Parameter(torch.eye(dim) + torch.randn(slices, dim, dim) * dim**-0.5)


def _products(a: Tensor, b: Tensor, matrices: Tensor) -> Tensor:
    """The products a M_c b' of each slice. Shape [B, C, N, M]."""
    return a.unsqueeze(1) @ matrices @ b.transpose(1, 2).unsqueeze(1)
