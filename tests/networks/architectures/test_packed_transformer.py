import pytest
import torch
from torch import nn

from tests.models.interop.tiny import backbone
from textkin.networks.architectures.packed_transformer import PackedTransformer

pytestmark = pytest.mark.torch

LENGTHS = [9, 9, 5, 2, 2, 2]
GROUPS = [(2, 9), (1, 5), (3, 2)]


def ids(size=60):
    torch.manual_seed(5)
    return [torch.randint(0, size, (length,)) for length in LENGTHS]


@pytest.mark.parametrize("family", ["bert", "distilbert", "roberta"])
@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_states_are_those_of_the_network(family, activation):
    network = backbone(family, tokens=60)
    name = "activation" if family == "distilbert" else "hidden_act"
    network = type(network)(type(network.config)(**{**network.config.to_dict(), name: activation})).eval()
    packed = PackedTransformer.of(network, dtype=torch.float32)
    texts = ids()  # among them tokens that these networks take for padding
    with torch.inference_mode():
        states = packed.states(torch.cat(texts), GROUPS)
        expected = torch.cat([network(input_ids=one[None]).last_hidden_state[0] for one in texts])
    torch.testing.assert_close(states, expected, atol=1e-5, rtol=1e-5)


def test_token_types_tell_two_texts_apart():
    network = backbone("bert", tokens=60)
    packed = PackedTransformer.of(network, dtype=torch.float32)
    row = ids()[0]
    types = torch.tensor([0] * 4 + [1] * 5)
    with torch.inference_mode():
        expected = network(input_ids=row[None], token_type_ids=types[None]).last_hidden_state[0]
        found = packed.states(row, [(1, 9)], types=types)
        plain = packed.states(row, [(1, 9)])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    assert (found - plain).abs().max() > 0.01


def test_half_precision_stays_close():
    network = backbone("bert", tokens=60)
    texts = ids()
    with torch.inference_mode():
        states = PackedTransformer.of(network, dtype=torch.bfloat16).states(torch.cat(texts), GROUPS)
        exact = PackedTransformer.of(network, dtype=torch.float32).states(torch.cat(texts), GROUPS)
    assert states.dtype == torch.bfloat16
    assert torch.cosine_similarity(states.float(), exact).min() > 0.99


def test_what_it_does_not_know_is_left_alone():
    assert PackedTransformer.of(backbone("mpnet", tokens=60), dtype=torch.float32) is None
    adapted = backbone("bert", tokens=60)

    class Adapter(nn.Linear):
        """Replaces a linear layer, and does more."""

    adapted.encoder.layer[1].attention.self.query = Adapter(32, 32)
    assert PackedTransformer.of(adapted, dtype=torch.float32) is None
    decoder = backbone("bert", tokens=60)
    decoder.config.is_decoder = True
    assert PackedTransformer.of(decoder, dtype=torch.float32) is None
    odd = backbone("bert", tokens=60)
    odd.config.hidden_act = "silu"
    assert PackedTransformer.of(odd, dtype=torch.float32) is None
