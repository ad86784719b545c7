import pytest
import torch

from tests.reference.phrase_networks import self_attention
from textkin.networks.nn.self_attention_head import SelfAttentionHead

pytestmark = pytest.mark.torch

LENGTHS = [4, 1, 0, 6]


def texts():
    mask = torch.arange(7) < torch.tensor(LENGTHS)[:, None]
    return torch.randn(len(LENGTHS), 7, 6), mask


@pytest.mark.parametrize("faithful", [False, True])
def test_a_head_is_the_plain_loop(faithful):
    head, (states, mask) = SelfAttentionHead(dim=6, hidden=2, faithful=faithful), texts()
    with torch.no_grad():
        found, first = head(states, mask), head(states, mask, first=True)
        for row, length in enumerate(LENGTHS):
            if length:
                expected = torch.tensor(self_attention(head, states[row, :length]))
                torch.testing.assert_close(found[row, :length], expected, atol=1e-5, rtol=1e-5)
                torch.testing.assert_close(first[row], expected[:1], atol=1e-5, rtol=1e-5)
    assert first.shape == (4, 1, 6)
    assert first[2].abs().sum() == 0


def test_queries_are_no_keys_unless_faithful():
    states, mask = texts()
    found = []
    for faithful in (False, True):
        torch.manual_seed(5)
        head = SelfAttentionHead(dim=6, hidden=2, faithful=faithful)
        found.append(head(states, mask)[mask])
        assert sum(1 for _ in head.parameters()) == (8 if faithful else 16)
    assert not torch.allclose(*found, atol=1e-3)
