import pytest
import torch
from torch import nn

from textkin.networks.nn.fast_dropout import FastDropout
from textkin.training.fast_layers import fast_layers

pytestmark = pytest.mark.torch


class Stop(Exception):
    pass


def bert(**changed):
    from transformers import BertConfig, BertModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    torch.manual_seed(0)
    return BertModel(BertConfig(vocab_size=50, **sizes, **changed))


def test_layers_are_replaced_for_the_block_only():
    network = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.ModuleDict({"x": nn.Dropout(0.4)}))
    before, names = list(network.modules()), list(network.state_dict())
    with pytest.raises(Stop), fast_layers(network):
        found = [part for part in network.modules() if isinstance(part, nn.Dropout)]
        assert [(type(part), part.p) for part in found] == [(FastDropout, 0.2), (FastDropout, 0.4)]
        assert list(network.state_dict()) == names
        network.eval()
        raise Stop
    assert list(network.modules()) == before
    assert not any(part.training for part in network.modules())


def test_a_transformer_computes_the_same_without_dropout():
    network, ids = (
        bert(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0),
        torch.arange(40).view(2, 20),
    )
    mask = torch.arange(20) < torch.tensor([[20], [7]])
    expected = network(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    with fast_layers(network):
        assert network.config._attn_implementation == "textkin"
        found = network(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    assert network.config._attn_implementation == "sdpa"
    torch.testing.assert_close(found[mask], expected[mask])


def test_the_mean_over_draws_is_that_without_dropout_of_weights():
    network = bert(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.3)
    ids = torch.randint(50, (16, 64), generator=torch.Generator().manual_seed(0))
    layer = network.encoder.layer[0].attention.self
    states = network.embeddings(input_ids=ids).detach()
    exact = layer.eval()(states)[0]
    layer.train()
    with fast_layers(network):
        draws = torch.stack([layer(states)[0] for _ in range(64)])
    error = draws.mean(dim=0) - exact
    # The standard error of a mean of 64 draws, over 32,768 numbers.
    assert error.pow(2).mean() < 1.2 * (draws.var(dim=0) / 64).mean()
    assert (draws[0] != draws[1]).any()


def test_an_eager_transformer_keeps_its_attention():
    network = bert(attn_implementation="eager")
    with fast_layers(network):
        assert network.config._attn_implementation == "eager"
