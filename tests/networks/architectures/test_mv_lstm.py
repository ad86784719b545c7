import pytest
import torch

from tests.networks.architectures.matching import check, matcher
from tests.reference.losses import cosine
from tests.reference.recurrent import read
from tests.reference.windows import largest, tensor_score
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


def slices(model, interaction, u, v):
    """The similarities of two states."""
    part = model.interaction
    if interaction == "cosine":
        return [cosine(u, v)]
    if interaction == "bilinear":
        return [tensor_score(u, v, part.matrices[0].tolist(), part.constant.item())]
    weights = torch.cat([part.over_a.weight, part.over_b.weight], dim=1).tolist()
    constants = part.over_a.bias.tolist()
    matrices = part.matrices.tolist()
    return [
        max(0.0, tensor_score(u, v, matrices[one], constants[one], weights[one]))
        for one in range(len(matrices))
    ]


@pytest.mark.parametrize(
    ("interaction", "options"),
    [
        ("cosine", {"k": 5}),
        ("bilinear", {"k": 5, "outputs": 3}),
        ("tensor", {"k": 9, "slices": 2, "layers": [4, 3]}),
    ],
)
def test_it_is_the_plain_loop(interaction, options):
    torch.manual_seed(0)
    model = matcher("mv-lstm", interaction=interaction, hidden=3, **options)
    if interaction == "bilinear":
        torch.nn.init.constant_(model.interaction.constant, 0.4)

    def score(a, b):
        of_a, of_b = (
            read(model.views, model.words.embedding(torch.tensor([text]))[0] * model.words.scale)[0].tolist()
            for text in (a, b)
        )
        found = [slices(model, interaction, u, v) for u in of_a for v in of_b]
        strongest = [largest(column, options["k"]) for column in zip(*found, strict=True)]
        return model.decide(torch.tensor(strongest).flatten()).tolist()

    with torch.no_grad():
        check(model, score)


@pytest.mark.parametrize("options", [{"k": 0}, {"interaction": "dot"}])
def test_impossible_options_are_named(options):
    with pytest.raises(ConfigError) as error:
        matcher("mv-lstm", **options)
    [(option, value)] = options.items()
    assert (error.value.params, error.value.value) == ((option,), value)
