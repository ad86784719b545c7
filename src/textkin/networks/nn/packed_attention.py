"""Self-attention over concatenated texts, without padding."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

# Up to this number of tokens, plain products and our own softmax are faster than torch's fused attention. In
# bfloat16 this holds for longer texts, too, but the memory grows with the square of the length.
_SHORT: MappingProxyType[torch.dtype, int] = MappingProxyType({torch.float32: 32, torch.bfloat16: 512})

# Texts with up to this number of token pairs use a loop: one of 16 tokens, for example.
_FEW = 16 * 16


def packed_attention(qkv: Tensor, groups: Sequence[tuple[int, int]], *, heads: int) -> Tensor:
    """Attention of each token to the tokens of its own text; not for training.

    Args:
        qkv: queries, keys and values side by side, shape [T, 3 D].
        groups: runs of texts of equal length, as counts and lengths; at most T tokens together.
        heads: the number of heads that D is divided among.

    Returns:
        Shape [T, D]; 0 for tokens of no group.
    """
    width = qkv.shape[1] // 3
    gathered = qkv.new_zeros(len(qkv), width)
    start = 0
    for count, length in _pieces(groups):
        part = slice(start, start + count * length)
        start = part.stop
        if count * length * length <= _FEW:
            _by_loop(qkv[part], gathered[part], length=length, heads=heads)
            continue
        q, k, v = qkv[part].view(count, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        attend = _by_products if length <= _SHORT[qkv.dtype] else functional.scaled_dot_product_attention
        gathered[part].view(count, length, heads, -1).copy_(attend(q, k, v).transpose(1, 2))
    return gathered


def _pieces(groups: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Groups split into powers of two: oneDNN generates a program for each shape, so there should be few."""
    for count, length in groups:
        for power in reversed(range(count.bit_length())):
            if count >> power & 1:
                yield 1 << power, length


def _by_loop(qkv: Tensor, gathered: Tensor, *, length: int, heads: int) -> None:
    """Attention of few tokens: [N L, 3 D] to [N L, D]. A call of torch takes longer than the computation."""
    from textkin.networks.nn.attention_loops import attend_bf16, attend_fp32

    if qkv.dtype == torch.bfloat16:
        attend_bf16(qkv.view(torch.uint16).numpy(), length, heads, gathered.view(torch.uint16).numpy())
    else:
        attend_fp32(qkv.numpy(), length, heads, gathered.numpy())


def _by_products(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention as two batched products: all [N, H, L, d]."""
    from textkin.networks.nn.softmax_loops import softmax_bf16, softmax_fp32

    *_, length, width = shape = q.shape
    q, k, v = (one.reshape(-1, length, width) for one in (q, k, v))
    weights = torch.bmm(q, k.transpose(1, 2))
    scale = np.float32(width**-0.5)
    # torch's own softmax is slow with short rows: it would take longer than both products.
    if weights.dtype == torch.bfloat16:
        softmax_bf16(weights.view(torch.uint16).numpy().reshape(-1, length), scale)
    else:
        softmax_fp32(weights.numpy().reshape(-1, length), scale)
    return torch.bmm(weights, v).view(shape)
