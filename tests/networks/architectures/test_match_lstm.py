import pytest
import torch

from tests.networks.architectures.spelt import SIZE, assert_computed
from tests.reference.alignment import attentive_lstm
from tests.reference.recurrent import read
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

SMALL = {"size": SIZE, "pad_id": 0, "dim": 4, "hidden": 3}


def one_by_one(model, a, b):
    """The score of one pair, without padding, from the state at b's last token."""
    premise, hypothesis = (
        read(model.read, model.words.embedding.table[text] * model.words.scale)[0].tolist() for text in (a, b)
    )
    match = model.match
    weights = {
        "memory": match.of_memory.weight.tolist(),
        "inputs": match.of_inputs.weight.tolist(),
        "bias": match.of_inputs.bias.tolist(),
        "state": match.of_state.weight.tolist(),
        "scores": match.scores.weight[0].tolist(),
    }
    return model.decide(torch.tensor(attentive_lstm(hypothesis, premise, weights)[-1]))


@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "outputs": 3}])
def test_scores_are_those_of_each_pair_computed_by_itself(options):
    assert_computed(build("match-lstm", **SMALL, **options), one_by_one)
