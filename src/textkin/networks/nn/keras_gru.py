"""The GRU of Keras before version 0.3.3, for recipes that reproduce systems of that time."""

from __future__ import annotations

from typing import Literal, final

import torch
from torch import Tensor, nn

from textkin.base.errors import wrong_setting

Activation = Literal["sigmoid", "tanh"]
_ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}


@final
class KerasGRU(nn.Module):
    """One GRU layer as Keras 0.3 computed it: [B, L, D] to [B, L, H].

    It differs from the GRU of today's libraries: the gates are hard sigmoids, the reset gate multiplies the
    state before the matrix product, and the output activation was a sigmoid by default until 0.3.3. A masked
    step copies the state.

    Args:
        dim: D.
        hidden: H.
        activation: activation of the candidate state.
    """

    def __init__(self, *, dim: int, hidden: int, activation: Activation = "sigmoid") -> None:
        super().__init__()
        if activation not in _ACTIVATIONS:
            raise wrong_setting("activation", activation, expected="'sigmoid' or 'tanh'")
        self.activation = activation
        self.inputs = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(hidden, 2 * hidden, bias=False)
        self.candidate = nn.Linear(hidden, hidden, bias=False)
        for block in self.inputs.weight.chunk(3):
            nn.init.xavier_uniform_(block)
        nn.init.zeros_(self.inputs.bias)
        for block in (*self.gates.weight.chunk(2), self.candidate.weight):
            nn.init.orthogonal_(block)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """States at every position; a masked position repeats the last state."""
        act = _ACTIVATIONS[self.activation]
        state = inputs.new_zeros(inputs.shape[0], self.candidate.in_features)
        states = []
        for step, keep in zip(self.inputs(inputs).unbind(1), mask.unbind(1), strict=True):
            for_update, for_reset, for_candidate = step.chunk(3, dim=-1)
            from_state = self.gates(state).chunk(2, dim=-1)
            update = hard_sigmoid(for_update + from_state[0])
            reset = hard_sigmoid(for_reset + from_state[1])
            candidate = act(for_candidate + self.candidate(reset * state))
            new = update * state + (1 - update) * candidate
            state = torch.where(keep.unsqueeze(-1), new, state)
            states.append(state)
        return torch.stack(states, dim=1)


def hard_sigmoid(values: Tensor) -> Tensor:
    """The piecewise linear approximation of a sigmoid: clip(0.2 x + 0.5, 0, 1)."""
    return (0.2 * values + 0.5).clamp(0, 1)
