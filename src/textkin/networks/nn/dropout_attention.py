"""Attention with dropout on a CPU, for training.

torch has no fused kernel with dropout there: it goes through the weights several times, in float32. Here
loops go through them once in each direction.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from textkin.networks.nn.fast_dropout import bits_of, drawn, in_parts, is_fast


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **further: Any,
) -> tuple[Tensor, None]:
    """Attention with dropout, in the form of transformers' attention functions.

    All but the training of encoders on a CPU is left to torch's own attention, which has no fused kernel with
    dropout there.

    Args:
        module: the layer.
        query: shape [B, H, L, D].
        key: the same shape.
        value: the same shape.
        attention_mask: True where a query sees a key, shape [B, 1, L, L]; None if all do.
        dropout: fraction of the weights to drop.
        scaling: factor of the scores; None for 1 / sqrt(D).
        further: arguments of other kinds of attention.

    Returns:
        Shape [B, L, H, D], and None.
    """
    count, heads, length, width = query.shape
    usual = {"is_causal", "output_attentions", "use_cache"}
    is_plain = (
        query.shape == key.shape == value.shape
        and query.dtype == key.dtype == value.dtype
        and (not torch.is_autocast_enabled("cpu") or query.dtype == torch.get_autocast_dtype("cpu"))
        and not (further.get("is_causal") or getattr(module, "is_causal", False))
        and all(one is None for name, one in further.items() if name not in usual)
        and is_fast(query, dropout, numbers=count * heads * length * length)
    )
    allowed = _allowed(attention_mask, count, length) if is_plain else None
    if allowed is None:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        slow: Any = sdpa_attention_forward
        return slow(module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **further)
    flat = [one.reshape(count * heads, length, width) for one in (query, key, value)]
    scale = width**-0.5 if scaling is None else scaling
    found: Tensor = _Attention.apply(*flat, allowed, dropout, scale)  # type: ignore[no-untyped-call]
    return found.view(count, heads, length, width).transpose(1, 2).contiguous(), None


def _allowed(mask: Tensor | None, count: int, length: int) -> Tensor | None:
    """1 for keys that count, shape [B, L], or None if it depends on more than the key."""
    if mask is None:
        return torch.ones(count, length)
    if (
        mask.dtype != torch.bool
        or mask.shape[1] != 1
        or not torch.equal(mask, mask[:, :, :1].expand_as(mask))
    ):
        return None
    return mask[:, 0, 0].expand(count, length).float().contiguous()


class _Attention(torch.autograd.Function):
    """softmax(scale q k'), with dropout, times v: all [N, L, D], with N = texts x heads."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, allowed: Tensor, rate: float, scale: float
    ) -> Tensor:
        from textkin.networks.nn.dropout_loops import weights_bf16, weights_fp32

        loop: Any = weights_bf16 if query.dtype == torch.bfloat16 else weights_fp32
        told, factor = drawn(rate), np.float32(scale)
        weights = torch.bmm(query, key.transpose(1, 2))
        thinned = torch.empty_like(weights)
        columns = weights.shape[2]
        scores, out = (_numbers_of(one).reshape(-1, columns) for one in (weights, thinned))
        shown = allowed.numpy()
        each = len(scores) // len(shown)
        in_parts(
            len(scores),
            lambda part: loop(scores[part], shown, part.start, each, factor, told, out[part]),
        )
        ctx.save_for_backward(query, key, value, weights)
        ctx.drawn, ctx.factor = told, factor
        return torch.bmm(thinned, value)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        from textkin.networks.nn.dropout_loops import gradients_bf16, gradients_fp32

        query, key, value, weights = ctx.saved_tensors
        loop: Any = gradients_bf16 if query.dtype == torch.bfloat16 else gradients_fp32
        of_scores = torch.bmm(gradient, value.transpose(1, 2))
        thinned = torch.empty_like(weights)
        columns = weights.shape[2]
        shares, upstream, out = (
            _numbers_of(one).reshape(-1, columns) for one in (weights, of_scores, thinned)
        )
        in_parts(
            len(shares),
            lambda part: loop(shares[part], upstream[part], part.start, ctx.factor, ctx.drawn, out[part]),
        )
        of_query = torch.bmm(of_scores, key)
        of_key = torch.bmm(of_scores.transpose(1, 2), query)
        return of_query, of_key, torch.bmm(thinned.transpose(1, 2), gradient), None, None, None


def _numbers_of(tensor: Tensor) -> Any:
    """An array over a tensor's memory; of bfloat16, which NumPy doesn't have, the bits."""
    return bits_of(tensor) if tensor.dtype == torch.bfloat16 else tensor.detach().numpy()
