"""Functions that compare a token with its counterpart in another text.

Wang and Jiang 2017, "A Compare-Aggregate Model for Matching Text Sequences", section on comparison.

Shapes: D width of the compared states a and h, W width of the result of a comparison.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import torch
from torch import Tensor, nn

from textkin.base.errors import wrong_setting
from textkin.networks.nn.pooling import unit

Comparing = Literal["mult", "sub", "submult-nn", "nn", "euccos", "ntn"]


def joined(a: Tensor, h: Tensor) -> Tensor:
    """[a; h]: two times [..., D] to [..., 2D]."""
    return torch.cat([a, h], dim=-1)


def multiplied(a: Tensor, h: Tensor) -> Tensor:
    """The product a * h: [..., D]."""
    return a * h


def subtracted(a: Tensor, h: Tensor) -> Tensor:
    """The square (a - h) * (a - h): [..., D]."""
    return (a - h).square()


def sub_mult(a: Tensor, h: Tensor) -> Tensor:
    """Both, [(a - h)^2; a * h]: [..., 2D]."""
    return torch.cat([subtracted(a, h), multiplied(a, h)], dim=-1)


def euclidean_cosine(a: Tensor, h: Tensor) -> Tensor:
    """Euclidean distance and cosine: [..., 2]; equal vectors have distance 0 with gradient 0."""
    return torch.stack([torch.linalg.vector_norm(a - h, dim=-1), (unit(a) * unit(h)).sum(dim=-1)], dim=-1)


def enhanced(a: Tensor, h: Tensor) -> Tensor:
    """[a; h; a - h; a * h]: [..., 4D] (Chen et al. 2017, equations 14 and 15)."""
    return torch.cat([a, h, a - h, a * h], dim=-1)


_FEATURES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = MappingProxyType(
    {
        "mult": multiplied,
        "sub": subtracted,
        "submult-nn": sub_mult,
        "nn": joined,
        "euccos": euclidean_cosine,
    }
)


class Comparison(nn.Module):
    """Two states to one vector, [..., D] and [..., D] to [..., W].

    - mult: a * h, W = D;
    - sub: (a - h)^2, W = D;
    - submult-nn: relu(L [(a - h)^2; a * h] + c);
    - nn: relu(L [a; h] + c);
    - euccos: Euclidean distance and cosine, W = 2;
    - ntn: relu(a' T_k h + c_k), k = 1 ... W, a neural tensor layer of W x D x D weights.

    Args:
        how: the name of the comparison.
        dim: D.
        hidden: W, if it is free.

    Attributes:
        width: W.

    Raises:
        UsageError: there is no such comparison.
    """

    def __init__(self, *, how: Comparing, dim: int, hidden: int) -> None:
        super().__init__()
        if how != "ntn" and how not in _FEATURES:
            raise wrong_setting("comparison", how, expected=f"one of: {', '.join([*_FEATURES, 'ntn'])}")
        self.how = how
        self.layer: nn.Linear | nn.Bilinear | None = None
        if how in ("nn", "submult-nn"):
            self.layer = nn.Linear(2 * dim, hidden)
        elif how == "ntn":
            self.layer = nn.Bilinear(dim, dim, hidden)
        self.width = 2 if how == "euccos" else hidden if self.layer else dim

    def forward(self, a: Tensor, h: Tensor) -> Tensor:
        """The comparison of each state with its counterpart."""
        if isinstance(self.layer, nn.Bilinear):
            compared: Tensor = self.layer(a, h)
            return compared.relu()
        features = _FEATURES[self.how](a, h)
        return features if self.layer is None else self.layer(features).relu()
