import pytest
import torch

from tests.networks.architectures.spelt import PAIRS, SIZE, assert_computed, batch
from tests.reference.alignment import attended
from tests.reference.recurrent import read
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

SMALL = {"size": SIZE, "pad_id": 0, "dim": 4, "hidden": 3}


def one_by_one(model, a, b):
    """The score of one pair, without padding."""
    of_a, of_b = (
        read(model.context, model.words.embedding.table[text] * model.words.scale)[0] for text in (a, b)
    )
    pooled = []
    for own, other in ((of_a, of_b), (of_b, of_a)):
        found = torch.tensor(attended((own @ other.T).tolist(), other.tolist()))
        enhanced = torch.cat([own, found, own - found, own * found], dim=1)
        composed = read(model.composition, model.project(enhanced).relu())[0]
        pooled += [composed.mean(dim=0), composed.max(dim=0).values]
    return model.decide(torch.cat(pooled))


@pytest.mark.parametrize("outputs", [1, 3])
def test_scores_are_those_of_each_pair_computed_by_itself(outputs):
    assert_computed(build("esim", **SMALL, outputs=outputs), one_by_one)


def test_both_texts_are_read_with_the_same_weights():
    model = build("esim", **SMALL, cell="gru").eval()
    a, b = (batch([pair[side] for pair in PAIRS]) for side in (0, 1))
    with torch.no_grad():
        once = model(a, b)
        first = model.decide[1]
        first.weight.copy_(first.weight.roll(12, dims=1))  # swaps the texts in the final layer
        torch.testing.assert_close(model(b, a), once)
