"""torch's own LSTM with the weights of ours, for one text without padding at a time."""

import torch
from torch import nn


def torch_lstm(recurrent):
    """An ``nn.LSTM`` equivalent to a ``Recurrent`` of LSTMs, without dropout."""
    first = recurrent.forwards[0]
    made = nn.LSTM(
        first.input_size,
        first.hidden_size,
        num_layers=len(recurrent.forwards),
        bidirectional=len(recurrent.backwards) > 0,
        batch_first=True,
    )
    for suffix, parts in (("", recurrent.forwards), ("_reverse", recurrent.backwards)):
        for layer, part in enumerate(parts):
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(made, f"{kind}_l{layer}{suffix}").data.copy_(getattr(part, f"{kind}_l0"))
    return made


def read(recurrent, vectors):
    """States [L, 2H] of one text [L, D], and the final states of the last layer: [directions, H]."""
    lstm = torch_lstm(recurrent)
    output, (ends, _) = lstm(vectors.unsqueeze(0))
    return output[0], ends[-(2 if lstm.bidirectional else 1) :, 0]


def final_character_state(network, spelling):
    """The output of a ``CharacterLSTM`` for a token's spelling, a list of ids without zeros."""
    if not spelling:
        return torch.zeros(network.width)
    return read(network.lstm, network.letters.table[spelling])[1][0]
