"""Texts of any length to a fixed number of regions: dynamic pooling in one dimension.

Shapes: B texts, L tokens, F features, R regions.
"""

from __future__ import annotations

import torch
from torch import Tensor

from textkin.networks.nn.dynamic_pooling import dynamic_max_pool


def region_max(states: Tensor, mask: Tensor, *, regions: int) -> Tensor:
    """The largest value in each of R parts of a text: states [B, L, F] and mask [B, L] to [B, R, F].

    Parts have the bounds of :func:`textkin.networks.nn.dynamic_pooling.dynamic_max_pool`; a text without
    tokens gives zeros.
    """
    lengths = mask.sum(dim=1)
    rows = states.transpose(1, 2).unsqueeze(2)
    pooled = dynamic_max_pool(rows, torch.ones_like(lengths), lengths, grid=(1, regions))
    return pooled.squeeze(2).transpose(1, 2)
