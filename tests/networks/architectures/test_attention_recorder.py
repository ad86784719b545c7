import math

import pytest
import torch

from tests.models.interop.tiny import backbone
from textkin.base.errors import UsageError
from textkin.networks.architectures.attention_recorder import attentions

pytestmark = pytest.mark.torch

IDS = torch.tensor([[5, 6, 7, 8, 9]])


def test_they_are_those_of_the_equation():
    """Vaswani et al. 2017, equation 1, of BERT's first layer, in loops."""
    network = backbone("bert", tokens=20).eval()
    with torch.no_grad(), attentions(network) as found:
        network(input_ids=IDS)
    (weights,) = found
    config = network.config
    heads, width = config.num_attention_heads, config.hidden_size // config.num_attention_heads
    assert weights.shape == (config.num_hidden_layers, 1, heads, 5, 5)
    with torch.no_grad():
        states = network.embeddings(IDS)[0]
        attention = network.encoder.layer[0].attention.self
        queries, keys = attention.query(states), attention.key(states)
    for head in range(heads):
        part = slice(head * width, (head + 1) * width)
        for row in range(5):
            powers = [
                math.exp(float(queries[row, part] @ keys[column, part]) / math.sqrt(width))
                for column in range(5)
            ]
            expected = torch.tensor([one / sum(powers) for one in powers])
            torch.testing.assert_close(weights[0, 0, head, row], expected, atol=1e-5, rtol=1e-4)


def test_afterwards_the_network_is_as_it_was():
    network = backbone("bert", tokens=20).eval()
    how = network.config._attn_implementation
    with torch.no_grad():
        expected = network(input_ids=IDS).last_hidden_state
        with attentions(network) as found:
            seen = network(input_ids=IDS).last_hidden_state
        again = network(input_ids=IDS)
    torch.testing.assert_close(seen, expected, atol=1e-5, rtol=1e-5)
    assert torch.equal(again.last_hidden_state, expected) and again.attentions is None
    assert network.config._attn_implementation == how and len(found) == 1


def test_a_network_without_attention_is_refused():
    from transformers import AutoModel, MambaConfig

    config = MambaConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, state_size=4)
    network = AutoModel.from_config(config).eval()
    with pytest.raises(UsageError, match="'mamba' show no attention"), attentions(network), torch.no_grad():
        network(input_ids=IDS)
