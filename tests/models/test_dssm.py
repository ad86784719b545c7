import math

import pytest
import torch

from tests.models.spelt import SIZE, SPELT, UNITS, assert_computed
from tests.reference.losses import cosine
from tests.reference.windows import counts, joined_window, times
from textkin.errors import ConfigError
from textkin.models.table import build

SMALL = {"size": SIZE, "pad_id": 0, "unit_size": UNITS}


def tanh(values, bias=None):
    return [math.tanh(value + (bias[at] if bias else 0)) for at, value in enumerate(values)]


def scored(model, of_a, of_b):
    """The linear function of a cosine."""
    layer = model.score.linear
    return layer.weight[:, 0] * cosine(of_a, of_b) + layer.bias


def dssm_score(model, a, b):
    def vector(text):
        spelt = counts([unit for token in text for unit in SPELT[token]], UNITS)
        values = tanh(times(model.ngrams.table.T.tolist(), spelt), model.bias.tolist())
        for layer in model.layers:
            if isinstance(layer, torch.nn.Linear):
                values = tanh(times(layer.weight.tolist(), values), layer.bias.tolist())
        return values

    return scored(model, vector(a), vector(b))


def cdssm_score(model, a, b):
    width = model.convolution.width
    tables = model.convolution.words.table.reshape(UNITS, width, -1)
    matrix = tables.permute(2, 1, 0).flatten(1).tolist()

    def vector(text):
        words = [counts(SPELT[token], UNITS) for token in text]
        places = [tanh(times(matrix, joined_window(words, place, width))) for place in range(len(words))]
        highest = [max(column) for column in zip(*places, strict=True)]
        return tanh(times(model.dense.weight.tolist(), highest))

    return scored(model, vector(a), vector(b))


@pytest.mark.parametrize("hidden", [(4,), (5, 3)])
@pytest.mark.parametrize("outputs", [1, 3])
def test_dssm_is_the_plain_loop(hidden, outputs):
    torch.manual_seed(0)
    model = build("dssm", **SMALL, dim=6, hidden=hidden, outputs=outputs)
    torch.nn.init.normal_(model.bias)
    assert_computed(model, dssm_score)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("outputs", [1, 3])
def test_cdssm_is_the_plain_loop(width, outputs):
    torch.manual_seed(0)
    assert_computed(build("cdssm", **SMALL, dim=6, width=width, hidden=4, outputs=outputs), cdssm_score)


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
