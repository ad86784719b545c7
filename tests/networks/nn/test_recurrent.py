import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from textkin.base.errors import UsageError
from textkin.networks.nn.recurrent import Recurrent, reversal

pytestmark = pytest.mark.torch

LENGTHS = torch.tensor([5, 1, 3, 4])
MASK = torch.arange(5) < LENGTHS[:, None]


def packed(reference, inputs):
    output = reference(pack_padded_sequence(inputs, LENGTHS, batch_first=True, enforce_sorted=False))[0]
    return pad_packed_sequence(output, batch_first=True)[0]


@pytest.mark.parametrize("cell", ["lstm", "gru"])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_states_are_those_of_torch_on_packed_texts(cell, both, layers):
    torch.manual_seed(0)
    make = nn.LSTM if cell == "lstm" else nn.GRU
    reference = make(3, 4, num_layers=layers, bidirectional=both, batch_first=True)
    ours = Recurrent(cell=cell, dim=3, hidden=4, layers=layers, bidirectional=both)
    for layer in range(layers):
        for suffix, parts in (("", ours.forwards), ("_reverse", ours.backwards)):
            if len(parts):
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    source = getattr(reference, f"{kind}_l{layer}{suffix}")
                    getattr(parts[layer], f"{kind}_l0").data.copy_(source.data)
    inputs = torch.randn(4, 5, 3)
    expected = packed(reference, inputs)
    found = ours(inputs, MASK)
    assert ours.width == expected.shape[2]
    torch.testing.assert_close(found[MASK], expected[MASK], atol=1e-6, rtol=0)


def test_reversal_turns_texts_around_and_back():
    order = reversal(torch.tensor([[True, True, True, False], [False] * 4]))
    assert order.tolist() == [[2, 1, 0, 3], [0, 1, 2, 3]]
    assert order.gather(1, order).tolist() == [[0, 1, 2, 3]] * 2


def test_one_layer_ahead_if_nothing_else_is_said():
    layer = Recurrent(cell="gru", dim=3, hidden=4)
    assert (len(layer.forwards), len(layer.backwards), layer.width, layer.dropout.p) == (1, 0, 4, 0.0)


def test_dropout_follows_every_layer():
    torch.manual_seed(0)
    layer = Recurrent(cell="gru", dim=3, hidden=4, dropout=0.5)
    inputs = torch.randn(4, 5, 3)
    assert (layer(inputs, MASK) == 0).float().mean() > 0.2
    assert (layer.eval()(inputs, MASK) == 0).sum() == 0


@pytest.mark.parametrize("name", ["dim", "hidden", "layers"])
def test_a_size_below_one_is_refused_by_its_name_in_recipes(name):
    sizes = {"dim": 3, "hidden": 2, "layers": 1} | {name: 0}
    with pytest.raises(UsageError) as error:
        Recurrent(cell="keras-gru", **sizes)
    assert (error.value.params, error.value.value) == ((name,), 0)
    assert "`" not in error.value.message  # a mark would be spelt as an option of the command
