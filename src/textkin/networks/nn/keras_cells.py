"""The GRU and LSTM of Keras 0.3, for recipes that reproduce systems of that time.

They differ from those of today's libraries: gates are hard sigmoids, and a GRU's reset gate multiplies the
state before the matrix product. A masked step copies the state. Weights begin as they did there: Glorot's
uniform ones for inputs, orthogonal ones for states, and 1 as the bias of an LSTM's forget gate.
"""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from textkin.base.errors import wrong_setting

Activation = Literal["sigmoid", "tanh"]
_ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}


class KerasGRU(nn.Module):
    """One GRU layer: [B, L, D] to [B, L, H].

    Args:
        dim: D.
        hidden: H.
        activation: activation of the candidate state; Keras's default was a sigmoid until 0.3.3.
    """

    def __init__(self, *, dim: int, hidden: int, activation: Activation = "sigmoid") -> None:
        super().__init__()
        self.act = _known(activation)
        self.inputs = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(hidden, 2 * hidden, bias=False)
        self.candidate = nn.Linear(hidden, hidden, bias=False)
        _begin(self.inputs, blocks=3)
        for block in (*self.gates.weight.chunk(2), self.candidate.weight):
            nn.init.orthogonal_(block)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """States at every position; a masked position repeats the last state."""
        state = inputs.new_zeros(inputs.shape[0], self.candidate.in_features)
        states = []
        for step, keep in zip(self.inputs(inputs).unbind(1), mask.unbind(1), strict=True):
            for_update, for_reset, for_candidate = step.chunk(3, dim=-1)
            from_state = self.gates(state).chunk(2, dim=-1)
            update = hard_sigmoid(for_update + from_state[0])
            reset = hard_sigmoid(for_reset + from_state[1])
            candidate = self.act(for_candidate + self.candidate(reset * state))
            new = update * state + (1 - update) * candidate
            state = torch.where(keep.unsqueeze(-1), new, state)
            states.append(state)
        return torch.stack(states, dim=1)


class KerasLSTM(nn.Module):
    """One LSTM layer: [B, L, D] to [B, L, H].

    Args:
        dim: D.
        hidden: H.
        activation: activation of the candidate and of the output.
    """

    def __init__(self, *, dim: int, hidden: int, activation: Activation = "tanh") -> None:
        super().__init__()
        self.act = _known(activation)
        self.inputs = nn.Linear(dim, 4 * hidden)
        self.states = nn.Linear(hidden, 4 * hidden, bias=False)
        _begin(self.inputs, blocks=4)
        nn.init.ones_(self.inputs.bias.data[hidden : 2 * hidden])  # of the forget gate
        for block in self.states.weight.chunk(4):
            nn.init.orthogonal_(block)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """States at every position; a masked position repeats the last state."""
        state = memory = inputs.new_zeros(inputs.shape[0], self.states.in_features)
        states = []
        for step, keep in zip(self.inputs(inputs).unbind(1), mask.unbind(1), strict=True):
            to_input, to_forget, to_candidate, to_output = (step + self.states(state)).chunk(4, dim=-1)
            candidate = hard_sigmoid(to_input) * self.act(to_candidate)
            new = hard_sigmoid(to_forget) * memory + candidate
            here = keep.unsqueeze(-1)
            state = torch.where(here, hard_sigmoid(to_output) * self.act(new), state)
            memory = torch.where(here, new, memory)
            states.append(state)
        return torch.stack(states, dim=1)


def hard_sigmoid(values: Tensor) -> Tensor:
    """The piecewise linear approximation of a sigmoid: clip(0.2 x + 0.5, 0, 1)."""
    return (0.2 * values + 0.5).clamp(0, 1)


def _known(activation: str) -> Callable[[Tensor], Tensor]:
    """The function of an activation.

    Raises:
        UsageError: there is none of that name.
    """
    if activation not in _ACTIVATIONS:
        raise wrong_setting("activation", activation, expected="'sigmoid' or 'tanh'")
    return _ACTIVATIONS[activation]


def _begin(inputs: nn.Linear, *, blocks: int) -> None:
    for block in inputs.weight.chunk(blocks):
        nn.init.xavier_uniform_(block)
    nn.init.zeros_(inputs.bias)
