import pytest
import torch
from torch.nn.functional import layer_norm

from tests.networks.architectures.phrases import CONTEXTS, batch, build_small
from tests.reference.attention_flow import highway
from tests.reference.phrase_networks import passage_vectors

pytestmark = pytest.mark.torch


@torch.no_grad()
def test_a_token_is_its_piece_and_its_state():
    model = build_small("piqa-contextual").eval()
    ends = model.passages(batch(CONTEXTS))
    network = model.states.backbone
    layers = [(layer.weight.tolist(), layer.bias.tolist()) for layer in model.highway.layers]
    for row, text in enumerate(CONTEXTS):
        states = network(input_ids=torch.tensor([[2, *text, 3]])).last_hidden_state[0, 1:-1]
        pieces = network.embeddings.word_embeddings.weight[text]
        both = torch.cat([layer_norm(one, [32]) for one in (pieces, states)], dim=1)
        vectors = torch.tensor([highway(one, layers) for one in both.tolist()])
        for found, encoder in (
            (ends.start, model.encoders.passage_start),
            (ends.end, model.encoders.passage_end),
        ):
            expected = torch.tensor(passage_vectors(encoder, vectors))
            torch.testing.assert_close(found[row, : len(text)], expected, atol=1e-4, rtol=1e-4)


def test_the_transformer_stays_as_it_is():
    model = build_small("piqa-contextual").train()
    inner = {id(one) for one in model.states.backbone.parameters()}
    assert not any(one.requires_grad for one in model.states.backbone.parameters())
    assert all(one.requires_grad for one in model.parameters() if id(one) not in inner)
