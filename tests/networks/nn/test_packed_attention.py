import pytest
import torch

from textkin.networks.nn import packed_attention as module
from textkin.networks.nn.packed_attention import _SHORT as SHORT
from textkin.networks.nn.packed_attention import _pieces as pieces
from textkin.networks.nn.packed_attention import packed_attention

pytestmark = pytest.mark.torch


def one_by_one(qkv, groups, heads):
    """Attention by its definition, a text and a head at a time."""
    rows, start = [], 0
    width = qkv.shape[1] // 3
    size = width // heads
    for length in [length for count, length in groups for _ in range(count)]:
        q, k, v = qkv[start : start + length].double().split(width, dim=1)
        start += length
        found = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            weights = torch.softmax(q[:, part] @ k[:, part].T / size**0.5, dim=1)
            found.append(weights @ v[:, part])
        rows.append(torch.cat(found, dim=1))
    return torch.cat(rows)


@pytest.mark.parametrize("few", [0, 28, 256, 10**9])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 3e-2)])
def test_equals_the_definition(dtype, tolerance, few, monkeypatch):
    monkeypatch.setattr(module, "_FEW", few)  # those that a loop processes
    torch.manual_seed(2)
    groups = [(1, SHORT[dtype] + 3), (1, SHORT[dtype]), (2, 7), (3, 2), (4, 1)]
    qkv = torch.randn(sum(count * length for count, length in groups), 3 * 12).to(dtype)
    found = packed_attention(qkv, groups, heads=3)
    assert found.dtype == dtype
    expected = one_by_one(qkv, groups, 3)
    torch.testing.assert_close(found.double(), expected, atol=tolerance, rtol=tolerance)


def test_few_tokens_go_through_the_loop_and_no_others(monkeypatch):
    seen = []
    monkeypatch.setattr(module, "_by_loop", lambda qkv, gathered, **of: seen.append((len(qkv), of["length"])))
    packed_attention(torch.randn(66, 12), [(1, 17), (1, 16), (4, 8), (1, 1)], heads=2)
    assert seen == [(16, 16), (32, 8), (1, 1)]


def test_pieces_are_powers_of_two_in_order_and_together_the_groups():
    assert list(pieces([(13, 7), (1, 5), (8, 2)])) == [(8, 7), (4, 7), (1, 7), (1, 5), (8, 2)]


def test_tokens_of_no_group_gather_nothing():
    torch.manual_seed(0)
    qkv = torch.randn(12, 12)
    found = packed_attention(qkv, [(3, 3)], heads=2)
    assert torch.equal(found[9:], torch.zeros(3, 4))
    assert torch.allclose(found[:9], packed_attention(qkv[:9], [(3, 3)], heads=2))
