"""Pooling of token vectors, without padding."""

from types import MappingProxyType
from typing import Literal

import torch
from torch import Tensor

from textkin.base.errors import wrong_setting

Pooling = Literal["mean", "sum", "last", "max", "first", "weighted-mean", "root-mean"]


def known_pooling(how: Pooling) -> Pooling:
    """Return ``how`` after checking it.

    Raises:
        UsageError: there is no such pooling.
    """
    if how not in _POOLINGS:
        raise wrong_setting("pooling", how, expected=f"one of: {', '.join(_POOLINGS)}")
    return how


def pool(states: Tensor, mask: Tensor, *, how: Pooling) -> Tensor:
    """One vector per text: states [B, L, H] and mask [B, L] to [B, H]; a text without tokens gives zeros."""
    return _POOLINGS[known_pooling(how)](states, mask)


def masked_sum(states: Tensor, mask: Tensor) -> Tensor:
    """The sum over the tokens of each text."""
    return (states * mask.unsqueeze(-1)).sum(dim=1)


def masked_mean(states: Tensor, mask: Tensor) -> Tensor:
    """The mean over the tokens of each text."""
    return masked_sum(states, mask) / mask.sum(dim=1, keepdim=True).clamp(min=1)


def masked_max(states: Tensor, mask: Tensor) -> Tensor:
    """The largest value over the tokens of each text."""
    highest = states.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
    return highest.masked_fill(~mask.any(dim=1, keepdim=True), 0)


def last_state(states: Tensor, mask: Tensor) -> Tensor:
    """The state at the last token of each text."""
    lengths = mask.sum(dim=1)
    last = (lengths - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, states.shape[2])
    return states.gather(1, last).squeeze(1) * (lengths > 0).unsqueeze(1).to(states.dtype)


def first_state(states: Tensor, mask: Tensor) -> Tensor:
    """The state at the first token of each text, which is [CLS] in BERT."""
    return states[:, 0] * mask[:, :1].to(states.dtype)


def weighted_mean(states: Tensor, mask: Tensor) -> Tensor:
    """The mean over the tokens of each text, weighted by position from 1 (SGPT)."""
    weights = (mask.cumsum(dim=1) * mask).to(torch.promote_types(states.dtype, torch.float32))
    return masked_sum(states, weights) / weights.sum(dim=1, keepdim=True).clamp(min=1)


def root_mean(states: Tensor, mask: Tensor) -> Tensor:
    """The sum over the tokens of each text, divided by the square root of their number."""
    return masked_sum(states, mask) / mask.sum(dim=1, keepdim=True).clamp(min=1).sqrt()


_POOLINGS = MappingProxyType(
    {
        "mean": masked_mean,
        "sum": masked_sum,
        "last": last_state,
        "max": masked_max,
        "first": first_state,
        "weighted-mean": weighted_mean,
        "root-mean": root_mean,
    }
)


def unit(vectors: Tensor) -> Tensor:
    """Vectors of length 1, shape kept; zero stays zero with a zero gradient, never NaN.

    Half precision, too coarse for cosines, becomes float32.
    """
    vectors = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
    norms = vectors.norm(dim=-1, keepdim=True)
    tiny = norms <= torch.finfo(vectors.dtype).tiny
    return torch.where(tiny, torch.zeros_like(vectors), vectors / norms.masked_fill(tiny, 1))


def final_states(states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The forward state at the last token and the backward state at the first one; zeros of an empty text.

    Args:
        states: forward states followed by backward states. Shape [B, L, 2H].
        mask: True at tokens. Shape [B, L].

    Returns:
        Two tensors of shape [B, H].
    """
    ahead, back = states.chunk(2, dim=-1)
    return last_state(ahead, mask), back[:, 0] * mask[:, :1]
