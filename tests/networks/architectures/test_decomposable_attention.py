import pytest
import torch

from tests.networks.architectures.spelt import SIZE, assert_computed, batch
from tests.reference.alignment import affine, attended
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

SMALL = {"size": SIZE, "pad_id": 0, "dim": 4, "hidden": 6}


def rectified(layers, x):
    """Two dense layers with a ReLU after each."""
    for layer in (layers[1], layers[4]):
        x = [max(0.0, y) for y in affine([layer.weight.tolist(), layer.bias.tolist()], x)]
    return x


def states(model, text):
    vectors = model.project(model.words.embedding.table[text] * model.words.scale)
    if model.intra is None:
        return vectors.tolist()
    return model.intra(vectors.unsqueeze(0), torch.ones(1, len(text), dtype=torch.bool))[0].tolist()


def one_by_one(model, a, b):
    """The score of one pair, without padding."""
    of_a, of_b = states(model, a), states(model, b)
    keys_a, keys_b = (torch.tensor([rectified(model.attend, x) for x in text]) for text in (of_a, of_b))
    sums = []
    for own, other, scores in ((of_a, of_b, keys_a @ keys_b.T), (of_b, of_a, keys_b @ keys_a.T)):
        found = attended(scores.tolist(), other)
        rows = [rectified(model.compare, x + y) for x, y in zip(own, found, strict=True)]
        sums += [sum(column) for column in zip(*rows, strict=True)]
    return model.aggregate(torch.tensor(sums))


@pytest.mark.parametrize("options", [{}, {"intra": True, "outputs": 3}])
def test_scores_are_those_of_each_pair_computed_by_itself(options):
    assert_computed(build("decomposable-attention", **SMALL, **options), one_by_one)


def test_the_order_of_words_counts_with_self_attention_only():
    for intra in (False, True):
        torch.manual_seed(2)
        model = build("decomposable-attention", **SMALL, intra=intra).eval()
        if intra:
            torch.nn.init.normal_(model.intra.distances)
        with torch.no_grad():
            one, other = (model(batch([text]), batch([[3, 4]])) for text in ([2, 3, 5, 4], [5, 4, 3, 2]))
        assert torch.allclose(one, other, atol=1e-6) != intra
