import pytest
import torch

from tests.networks.architectures.spelt import PAIRS, SIZE, SPELT, UNITS, assert_computed, batch
from tests.reference.perspectives import matched
from tests.reference.recurrent import final_character_state, read
from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

SMALL = {"size": SIZE, "pad_id": 0, "dim": 4, "hidden": 3, "perspectives": 2}
SPELT_SMALL = {"unit_size": UNITS, "char_dim": 3, "char_hidden": 2}


def embedded(model, text):
    vectors = 2 * model.words.embedding.table[text]  # the root of their width
    if model.characters is not None:
        spelt = [final_character_state(model.characters, SPELT[token]) for token in text]
        vectors = torch.cat([vectors, torch.stack(spelt)], dim=1)
    return model.highways[0](vectors)


def one_by_one(model, a, b):
    """The score of one pair, without padding, from torch's own LSTM and plain loops."""
    (a_states, a_ends), (b_states, b_ends) = (read(model.context, embedded(model, text)) for text in (a, b))
    ends = []
    for states, other, finals in ((a_states, b_states, b_ends), (b_states, a_states, a_ends)):
        parts = []
        for direction, layer in enumerate(model.matchings):
            own, others = (both.chunk(2, dim=1)[direction].tolist() for both in (states, other))
            weights = dict(zip(layer.matchings, layer.weights.tolist(), strict=True))
            parts.append(torch.tensor(matched(own, others, finals[direction].tolist(), weights)))
        ends.append(read(model.aggregation, model.highways[1](torch.cat(parts, dim=1)))[1].flatten())
    return model.prediction(model.highways[2](torch.cat(ends)))


@pytest.mark.parametrize(
    "options",
    [
        {},
        SPELT_SMALL,
        {**SPELT_SMALL, "highway": True, "matchings": ["full", "attentive"], "outputs": 3},
    ],
)
def test_scores_are_those_of_each_pair_computed_by_itself(options):
    assert_computed(build("bimpm", **SMALL, **options), one_by_one)


def test_both_texts_are_matched_with_the_same_weights():
    model = build("bimpm", **SMALL).eval()
    a, b = (batch([pair[side] for pair in PAIRS]) for side in (0, 1))
    first = model.prediction[1]
    with torch.no_grad():
        once = model(a, b)
        first.weight.copy_(first.weight.roll(6, dims=1))  # swaps the texts in the final layer
        torch.testing.assert_close(model(b, a), once)


def test_impossible_matchings_are_refused():
    with pytest.raises(ConfigError) as error:
        build("bimpm", **SMALL, matchings=["all"])
    assert error.value.params == ("matchings",)
