import pytest
import torch

from tests.networks.architectures.spelt import SIZE, assert_computed, batch
from tests.reference.alignment import attended, compared
from tests.reference.nn import convolved
from tests.reference.recurrent import read
from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build
from textkin.networks.nn.recurrent import Recurrent

pytestmark = pytest.mark.torch

SMALL = {"size": SIZE, "pad_id": 0, "dim": 4, "hidden": 3, "widths": (1, 2, 5)}


def states(model, text):
    vectors = model.words.embedding.table[text] * model.words.scale
    if isinstance(model.read, Recurrent):
        return read(model.read, vectors)[0]
    return model.read(vectors, torch.ones(len(text), dtype=torch.bool))


def one_by_one(model, a, b):
    """The score of one pair, without padding."""
    of_a, of_b = states(model, a), states(model, b)
    with_zero = torch.cat([of_a, torch.zeros(1, of_a.shape[1])])
    keys = with_zero if model.project is None else model.project(with_zero)
    found = attended((of_b @ keys.T).tolist(), with_zero.tolist())
    layer = model.comparison.layer
    weights = layer and [layer.weight.tolist(), layer.bias.tolist()]
    rows = [
        compared(model.comparison.how, token, counterpart, weights)
        for token, counterpart in zip(of_b.tolist(), found, strict=True)
    ]
    strongest = [
        max(column)
        for part in model.filters.convolutions
        for column in zip(*convolved(rows, part.weight.tolist(), part.bias.tolist()), strict=True)
    ]
    return model.decide(torch.tanh(model.dense(torch.tensor(strongest))))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"project": False, "comparison": "mult"},
        {"reads": "lstm", "comparison": "ntn", "outputs": 3},
        {"reads": "bilstm", "comparison": "euccos", "project": False},
    ],
)
def test_scores_are_those_of_each_pair_computed_by_itself(options):
    assert_computed(build("compare-aggregate", **SMALL, **options), one_by_one)


def test_words_are_gated_without_context():
    model = build("compare-aggregate", **SMALL).eval()
    with torch.no_grad():
        torch.testing.assert_close(
            model(batch([[2, 3, 5]]), batch([[4, 2]])), model(batch([[5, 2, 3]]), batch([[4, 2]]))
        )
        in_order, turned = (model(batch([[2, 3]]), batch([text])) for text in ([4, 2, 3], [3, 2, 4]))
    assert not torch.equal(in_order, turned)


def test_an_unknown_reading_or_comparison_is_refused():
    for option, value in (("reads", "gru"), ("comparison", "cosine")):
        with pytest.raises(ConfigError) as error:
            build("compare-aggregate", **SMALL, **{option: value})
        assert (error.value.params, error.value.value) == ((option,), value)
