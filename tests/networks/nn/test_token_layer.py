import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.nn.token_layer import TokenLayer

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("options", "width"),
    [
        ({"cell": "lstm"}, 3),
        ({"cell": "bilstm", "layers": 2}, 6),
        ({"cell": "gru"}, 3),
        ({"cell": "bigru"}, 6),
        ({"cell": "keras-gru", "activation": "tanh"}, 3),
        ({"cell": "keras-lstm", "layers": 2}, 3),
        ({"cell": "keras-bilstm", "layers": 2}, 6),
        ({"cell": "keras-bigru"}, 6),
        ({"cell": "cnn", "widths": (1, 2)}, 6),
    ],
)
def test_the_states_are_as_wide_as_it_says(options, width):
    layer, told = TokenLayer(hidden=3, **options).make(dim=5, dropout=0.0)
    states = layer(torch.randn(2, 4, 5), torch.ones(2, 4, dtype=torch.bool))
    assert told == width and states.shape == (2, 4, width)


def test_no_layer_leaves_vectors_as_they_are():
    assert TokenLayer(cell="mean").make(dim=5, dropout=0.0) == (None, 5)


@pytest.mark.parametrize(
    "options",
    [
        {"cell": "mean", "hidden": 3},
        {"cell": "mean", "layers": 2},
        {"cell": "bilstm", "activation": "sigmoid"},
        {"cell": "keras-gru", "widths": (1, 2)},
        {"cell": "cnn", "layers": 2},
        {"cell": "cnn", "activation": "tanh"},
        {"cell": "lstm", "activation": "tanh"},
        {"cell": "bigru", "widths": (1,)},
    ],
)
def test_what_a_cell_would_ignore_is_refused(options):
    with pytest.raises(UsageError, match="has no effect with cell"):
        TokenLayer(**options).make(dim=5, dropout=0.0)


def test_an_unknown_cell():
    with pytest.raises(UsageError) as error:
        TokenLayer(cell="lst").make(dim=5, dropout=0.0)
    assert error.value.params == ("cell",)
