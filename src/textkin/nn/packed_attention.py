"""Self-attention over texts that stand one after another, without padding."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

# From so many tokens on, torch's fused attention beats plain products in bfloat16; below, its overhead rules.
_LONG = 128


def packed_attention(qkv: Tensor, groups: Sequence[tuple[int, int]], *, heads: int) -> Tensor:
    """What each token of each text gathers from the tokens of its own text.

    Args:
        qkv: queries, keys and values side by side, shape [T, 3 D].
        groups: how many texts of which length follow each other; T tokens together.
        heads: D is parted among them.

    Returns:
        Shape [T, D].
    """
    width = qkv.shape[1] // 3
    gathered = qkv.new_empty(len(qkv), width)
    start = 0
    for count, length in groups:
        part = slice(start, start + count * length)
        start = part.stop
        q, k, v = qkv[part].view(count, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        if qkv.dtype == torch.bfloat16 and length < _LONG:
            found = _by_products(q, k, v)
        else:
            found = functional.scaled_dot_product_attention(q, k, v)
        gathered[part].view(count, length, heads, -1).copy_(found.transpose(1, 2))
    return gathered


def _by_products(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention as two batched products: all [N, H, L, d]."""
    shape = q.shape
    q, k, v = (one.reshape(-1, *shape[2:]) for one in (q, k, v))
    weights = torch.bmm(q, k.transpose(1, 2)).mul_(shape[3] ** -0.5).softmax(dim=-1)
    return torch.bmm(weights, v).view(shape)
