import pytest
import torch

from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.reference.losses import cosine
from tests.reference.matching_matrix import layer
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


def mean(model, text):
    """The mean over known words; id 1 isn't one."""
    known = [vector for token, vector in zip(text, vectors(model, text), strict=True) if token != 1]
    return [sum(column) / len(known) for column in zip(*known, strict=True)]


def test_a_cosine_of_means():
    model = matcher("word-means", head="cosine")
    slope, constant = model.decide.linear.weight.item(), model.decide.linear.bias.item()
    check(model, lambda a, b: [slope * cosine(mean(model, a), mean(model, b)) + constant])


@pytest.mark.parametrize("features", ["concat", "full"])
@pytest.mark.parametrize("options", [{"head": "regression"}, {"head": "mlp", "hidden": [5, 4], "outputs": 3}])
def test_layers_on_means(features, options):
    torch.manual_seed(0)
    model = matcher("word-means", features=features, **options)

    def score(a, b):
        u, v = mean(model, a), mean(model, b)
        joined = u + v
        if features == "full":
            joined += [abs(x - y) for x, y in zip(u, v, strict=True)]
            joined += [x * y for x, y in zip(u, v, strict=True)]
        *between, last = [part for part in model.decide if isinstance(part, torch.nn.Linear)]
        for part in between:
            joined = [max(0.0, value) for value in layer(*values(part), joined)]
        return layer(*values(last), joined)

    check(model, score)


def test_by_default_it_has_the_published_layers():
    widths = [part.out_features for part in matcher("word-means").decide if isinstance(part, torch.nn.Linear)]
    assert widths == [100, 64, 1]


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"head": "dot"}, "head"),
        ({"features": "all"}, "features"),
        ({"head": "cosine", "outputs": 3}, "outputs"),
    ],
)
def test_impossible_options_are_named(options, param):
    with pytest.raises(ConfigError) as error:
        matcher("word-means", **options)
    assert (error.value.params, error.value.value) == ((param,), options[param])
