"""Where a recurrent layer that reads in both directions ends."""

from __future__ import annotations

from torch import Tensor

from textkin.networks.nn.pooling import last_state


def final_states(states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The forward state at the last token and the backward state at the first one; zeros of an empty text.

    Args:
        states: forward states with backward states behind them. Shape [B, L, 2H].
        mask: True at tokens. Shape [B, L].

    Returns:
        Two tensors of shape [B, H].
    """
    ahead, back = states.chunk(2, dim=-1)
    return last_state(ahead, mask), back[:, 0] * mask[:, :1]
