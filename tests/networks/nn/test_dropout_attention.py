import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from textkin.networks.nn.dropout_attention import attention
from textkin.networks.nn.fast_dropout import kept

pytestmark = pytest.mark.torch

TEXTS, HEADS, LENGTH, WIDTH, RATE = 3, 4, 90, 8, 0.3


def tensors(dtype):
    torch.manual_seed(0)
    made = [torch.randn(TEXTS, HEADS, LENGTH, WIDTH).to(dtype) for _ in range(4)]
    shown = torch.arange(LENGTH) < torch.tensor([[LENGTH], [50], [1]])
    return made, shown[:, None, None].expand(TEXTS, 1, LENGTH, LENGTH)


def run(function, query, key, value, upstream):
    inputs = [one.clone().requires_grad_() for one in (query, key, value)]
    torch.manual_seed(1)
    found = function(*inputs)
    found.backward(upstream.transpose(1, 2))
    return [found.detach(), *(one.grad for one in inputs)]


def plain(query, key, value, *, mask, scale):
    """The formula, number by number in float64."""
    drop = kept(torch.empty(TEXTS * HEADS, LENGTH, LENGTH), RATE).view(TEXTS, HEADS, LENGTH, LENGTH)
    scores = (query @ key.transpose(2, 3)) * scale
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=3)
    return (weights * drop @ value).transpose(1, 2)


@pytest.mark.parametrize("scale", [None, 0.7])
@pytest.mark.parametrize(("dtype", "near"), [(torch.float32, 1e-5), (torch.bfloat16, 2e-2)])
def test_equals_the_formula(dtype, near, scale):
    (query, key, value, upstream), mask = tensors(dtype)

    def ours(*inputs):
        return attention(nn.Identity(), *inputs, mask, dropout=RATE, scaling=scale)[0]

    def oracle(*inputs):
        return plain(*inputs, mask=mask, scale=WIDTH**-0.5 if scale is None else scale)

    found = run(ours, query, key, value, upstream)
    expected = run(oracle, *(one.double() for one in (query, key, value, upstream)))
    for one, exact in zip(found, expected, strict=True):
        assert one.dtype == dtype
        assert (one.double() - exact).abs().max() < near * exact.abs().max()


def test_without_a_mask_all_keys_count():
    (query, key, value, upstream), _ = tensors(torch.float32)
    everything = torch.ones(TEXTS, 1, LENGTH, LENGTH, dtype=torch.bool)

    def masked(mask):
        return lambda *inputs: attention(nn.Identity(), *inputs, mask, dropout=RATE)[0]

    for one, other in zip(
        run(masked(None), query, key, value, upstream),
        run(masked(everything), query, key, value, upstream),
        strict=True,
    ):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    "changed",
    [
        {"dropout": 0.0},
        {"is_causal": True, "attention_mask": None},
        {"attention_mask": torch.zeros(TEXTS, 1, LENGTH, LENGTH)},
        {"attention_mask": torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril().expand(TEXTS, 1, -1, -1)},
    ],
)
def test_all_else_is_torchs(changed):
    (query, key, value, _), mask = tensors(torch.float32)
    told = {"attention_mask": mask, "dropout": RATE, **changed}
    torch.manual_seed(3)
    found, none = attention(nn.Identity(), query, key, value, **told)
    torch.manual_seed(3)
    expected = scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=told["attention_mask"],
        dropout_p=told["dropout"],
        is_causal=told.get("is_causal", False),
    )
    assert none is None
    torch.testing.assert_close(found, expected.transpose(1, 2))
