import pytest
import torch
from torch.func import functional_call

from tests.reference.perspectives import matched
from textkin.base.errors import UsageError
from textkin.networks.nn.perspectives import MATCHINGS, Perspectives, ReadText

pytestmark = pytest.mark.torch

A_LENGTHS, B_LENGTHS = [3, 1, 2, 0, 3], [4, 2, 0, 3, 1]


def side(lengths, *, dim=4):
    """Texts with noise at padding, which must not matter; an empty text has zeros as its final state."""
    states = torch.randn(len(lengths), max(lengths), dim, requires_grad=True)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    final = torch.randn(len(lengths), dim) * mask[:, :1]
    return ReadText(states, mask, final)


@pytest.mark.parametrize("matchings", [MATCHINGS, *[(name,) for name in MATCHINGS], ("attentive", "full")])
def test_matchings_are_the_plain_loops(matchings):
    layer = Perspectives(dim=4, perspectives=3, matchings=matchings)
    a, b = side(A_LENGTHS), side(B_LENGTHS)
    weights = {name: rows.tolist() for name, rows in zip(layer.matchings, layer.weights, strict=True)}
    found = layer(a, b)
    assert [part.shape[2] for part in found] == [layer.width] * 2 == [3 * len(matchings)] * 2
    for row, (n, m) in enumerate(zip(A_LENGTHS, B_LENGTHS, strict=True)):
        left, right = a.states[row, :n].tolist(), b.states[row, :m].tolist()
        for part, expected in (
            (found[0][row, :n], matched(left, right, b.final[row].tolist(), weights)),
            (found[1][row, :m], matched(right, left, a.final[row].tolist(), weights)),
        ):
            wanted = torch.tensor(expected).reshape(-1, layer.width)
            torch.testing.assert_close(part, wanted, atol=1e-5, rtol=0)


def test_gradients_are_finite_and_none_reaches_padding():
    layer = Perspectives(dim=4, perspectives=3)
    a, b = side(A_LENGTHS), side(B_LENGTHS)
    for_a, for_b = layer(a, b)
    (for_a[a.mask].sum() + for_b[b.mask].sum()).backward()
    for text in (a, b):
        assert text.states.grad.isfinite().all()
        assert text.states.grad[~text.mask].abs().sum() == 0
    assert layer.weights.grad.isfinite().all()


def test_gradients_are_those_of_finite_differences():
    layer = Perspectives(dim=3, perspectives=2).double()
    texts = [side([2, 1], dim=3), side([1, 3], dim=3)]

    def outputs(weights, *states):
        sides = [
            ReadText(own, text.mask, text.final.double()) for own, text in zip(states, texts, strict=True)
        ]
        parts = functional_call(layer, {"weights": weights}, tuple(sides))
        return torch.cat([part[text.mask] for part, text in zip(parts, texts, strict=True)])

    inputs = [value.detach().double() for value in (layer.weights, *(text.states for text in texts))]
    assert torch.autograd.gradcheck(outputs, [value.requires_grad_() for value in inputs])


def test_perspectives_don_t_change_with_the_size_of_their_weights():
    layer = Perspectives(dim=4, perspectives=3)
    a, b = side(A_LENGTHS), side(B_LENGTHS)
    before = [part[one.mask] for part, one in zip(layer(a, b), (a, b), strict=True)]
    layer.weights.data *= -7
    after = [part[one.mask] for part, one in zip(layer(a, b), (a, b), strict=True)]
    torch.testing.assert_close(after, before, atol=1e-5, rtol=0)


@pytest.mark.parametrize("matchings", [(), ("full", "full"), ("full", "mean")])
def test_impossible_matchings_are_refused(matchings):
    with pytest.raises(UsageError) as error:
        Perspectives(dim=4, perspectives=3, matchings=matchings)
    assert error.value.params == ("matchings",)


def test_at_least_one_perspective():
    with pytest.raises(UsageError) as error:
        Perspectives(dim=4, perspectives=0)
    assert (error.value.params, error.value.value) == (("perspectives",), 0)
