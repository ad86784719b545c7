"""An LSTM that attends to another text before every step.

Shapes: B pairs, N states of the memory, M inputs, D width of both, H width of the LSTM's state.
"""

import torch
from torch import Tensor, nn

from textkin.networks.nn.matrix_recorder import TextMatrix


class AttentiveLSTM(nn.Module):
    """Inputs [B, M, D] and a memory [B, N, D] to states [B, M, H].

    Wang and Jiang 2016, "Learning Natural Language Inference with LSTM": at step k the weights of the
    memory's states s_j are softmax_j(w . tanh(W_s s_j + W_t t_k + W_m m_(k-1))), the LSTM takes [sum_j
    weight_j s_j; t_k], and its state is m_k. As in the published code the memory has an additional zero
    vector, for inputs without a counterpart.

    The weights depend on the previous state, so steps are sequential; everything independent of it is
    computed for all of them at once. As N is small, the attended state isn't computed, only its products with
    the gates' weights, which every memory state has in advance.

    Args:
        dim: D.
        hidden: H.
    """

    def __init__(self, *, dim: int, hidden: int) -> None:
        super().__init__()
        # The first H outputs of each are for the attention, the other 4H for the gates.
        self.of_memory = nn.Linear(dim, 5 * hidden, bias=False)
        self.of_inputs = nn.Linear(dim, 5 * hidden)
        self.of_state = nn.Linear(hidden, 5 * hidden, bias=False)
        self.scores = nn.Linear(hidden, 1, bias=False)
        self.shares = TextMatrix("attention α", rows="b", columns="a", shares=True)
        self.hidden = hidden

    def forward(self, inputs: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """States after each input; those at padding are meaningless."""
        # The memory's products have no bias, so a row of zeros is the product of the zero state.
        products = nn.functional.pad(self.of_memory(memory), (0, 0, 0, 1))
        rows, values = products[..., : self.hidden], products[..., self.hidden :]
        kept = nn.functional.pad(memory_mask, (0, 1), value=1)
        closed = torch.zeros_like(kept, dtype=rows.dtype).masked_fill(~kept, float("-inf"))
        state = cell = inputs.new_zeros(len(inputs), self.hidden)
        states = []
        for step in self.of_inputs(inputs).unbind(1):
            known = step + self.of_state(state)
            scores = self.scores(torch.tanh(rows + known[:, None, : self.hidden])).squeeze(-1)
            shares = self.shares((scores + closed).softmax(dim=-1))
            keep, write, show, new = (
                known[:, self.hidden :] + (shares.unsqueeze(1) @ values).squeeze(1)
            ).chunk(4, dim=-1)
            cell = keep.sigmoid() * cell + write.sigmoid() * new.tanh()
            state = show.sigmoid() * cell.tanh()
            states.append(state)
        return torch.stack(states, dim=1)
