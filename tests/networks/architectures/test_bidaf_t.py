import pytest
import torch

from tests.networks.architectures.spelt import SIZE, UNITS, assert_computed, batch
from tests.reference.attention_flow import attention_flow, highway
from tests.reference.nn import pooled
from tests.reference.recurrent import read
from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

SMALL = {"size": SIZE, "pad_id": 0, "dim": 4, "hidden": 3}
SPELT_SMALL = {"unit_size": UNITS, "char_dim": 3, "char_filters": 2, "char_window": 3}


def contextual(layers, text):
    vectors = 2 * layers.words.embedding.table[text]  # the root of their width
    if layers.characters is not None:
        vectors = torch.cat([vectors, layers.characters(batch([text]))[0]], dim=1)
    weights = [(layer.weight.tolist(), layer.bias.tolist()) for layer in layers.highway.layers]
    return read(layers.contextual, torch.tensor([highway(row, weights) for row in vectors.tolist()]))[0]


def one_by_one(model, a, b):
    """The score of one pair, without padding, from torch's own LSTM and plain loops; a asks, b is read."""
    layers = model.layers
    question, context = (contextual(layers, text).tolist() for text in (a, b))
    attended = attention_flow(context, question, layers.attention.weights.flatten().tolist())
    modelled = read(layers.modelling, torch.tensor(attended))[0].tolist()
    return model.output(torch.tensor(pooled(modelled, len(b), model.pooling)))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {**SPELT_SMALL, "pooling": "sum"},
        {**SPELT_SMALL, "pooling": "last", "highways": 1, "outputs": 2},
    ],
)
def test_scores_are_those_of_each_pair_computed_by_itself(options):
    assert_computed(build("bidaf-t", **SMALL, **options), one_by_one)


def test_an_unknown_pooling_is_refused():
    with pytest.raises(ConfigError) as error:
        build("bidaf-t", **SMALL, pooling="median")
    assert (error.value.params, error.value.value) == (("pooling",), "median")
