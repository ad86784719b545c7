import pytest
import torch

from tests.networks.architectures.phrases import CONTEXTS, QUESTIONS, batch, build_small
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


def states(network, text):
    """The states of a text with its special tokens, alone."""
    return network(input_ids=torch.tensor([[2, *text, 3]])).last_hidden_state[0]


@pytest.mark.parametrize("pooling", ["first", "mean"])
@torch.no_grad()
def test_linear_layers_over_states(pooling):
    model = build_small("piqa-transformer", prior=True, pooling=pooling).eval()
    ends, asked = model.passages(batch(CONTEXTS)), model.questions(batch(QUESTIONS))
    for row, text in enumerate(CONTEXTS):
        own = states(model.backbone, text)[1:-1]
        vectors, priors = model.of_passages(own), model.of_priors(own)
        found = [one[row, : len(text)] for one in ends]
        expected = [vectors[:, :7], vectors[:, 7:], priors[:, 0], priors[:, 1]]
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    for row, text in enumerate(QUESTIONS):
        whole = states(model.backbone, text)
        vector = model.of_questions(whole[0] if pooling == "first" else whole.mean(dim=0))
        for one, other in zip(asked, (vector[:7], vector[7:]), strict=True):
            torch.testing.assert_close(one[row], other, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_two_towers_are_two():
    model = build_small("piqa-transformer", shared=False).eval()
    before = [*model.questions(batch(QUESTIONS)), *model.passages(batch(CONTEXTS))[:2]]
    for weight in model.asking.parameters():
        weight.add_(0.1)
    after = [*model.questions(batch(QUESTIONS)), *model.passages(batch(CONTEXTS))[:2]]
    assert [torch.equal(one, other) for one, other in zip(before, after, strict=True)] == [False] * 2 + [
        True
    ] * 2


def test_without_a_width_ends_are_as_wide_as_states():
    assert build_small("piqa-transformer", width=0).width == 32


@pytest.mark.parametrize(
    ("change", "words"), [({"width": -1}, "width=-1 is not a width"), ({"pooling": "least"}, "'least'")]
)
def test_what_can_not_be_built(change, words):
    with pytest.raises(ConfigError, match=words):
        build_small("piqa-transformer", **change)
