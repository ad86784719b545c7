import pytest
import torch

from tests.networks.architectures.letters import SMALL, scored, tanh
from tests.networks.architectures.spelt import SPELT, UNITS, assert_computed
from tests.reference.windows import counts, times
from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch


def dssm_score(model, a, b):
    def vector(text):
        spelt = counts([unit for token in text for unit in SPELT[token]], UNITS)
        values = tanh(times(model.ngrams.table.T.tolist(), spelt), model.bias.tolist())
        for layer in model.layers:
            if isinstance(layer, torch.nn.Linear):
                values = tanh(times(layer.weight.tolist(), values), layer.bias.tolist())
        return values

    return scored(model, vector(a), vector(b))


@pytest.mark.parametrize("hidden", [(4,), (5, 3)])
@pytest.mark.parametrize("outputs", [1, 3])
def test_dssm_is_the_plain_loop(hidden, outputs):
    torch.manual_seed(0)
    model = build("dssm", **SMALL, dim=6, hidden=hidden, outputs=outputs)
    torch.nn.init.normal_(model.bias)
    assert_computed(model, dssm_score)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("dssm", {"unit_size": 0}, 'unit_size is 0.*spelling = "ngrams"'),
        ("cdssm", {"unit_size": 0}, 'unit_size is 0.*spelling = "ngrams"'),
        ("dssm", {"hidden": []}, r"hidden is \[\]"),
        ("cdssm", {"width": 0}, "width is 0"),
    ],
)
def test_impossible_options_are_named(name, options, words):
    with pytest.raises(ConfigError, match=words):
        build(name, **{**SMALL, **options})
