import copy

import pytest
import torch

from tests.models.interop.tiny import backbone
from tests.networks.architectures.phrases import CONTEXTS, SIZE, batch
from textkin.networks.architectures import frozen_states
from textkin.networks.architectures.frozen_states import FrozenStates
from textkin.networks.architectures.transformer import token_states

pytestmark = pytest.mark.torch


class Counted:
    """Counts a network's calls."""

    def __init__(self, network):
        self.calls = 0
        network.register_forward_hook(self)

    def __call__(self, *_):
        self.calls += 1


def test_in_training_each_text_is_read_once():
    states = FrozenStates(backbone("bert", tokens=SIZE)).train()
    counted = Counted(states.backbone)
    whole = states(batch(CONTEXTS, extra=2))
    assert whole.shape == (5, 14, 32)
    assert counted.calls == 5
    for row, text in enumerate(CONTEXTS):
        expected = token_states(states.backbone, batch([text]))[0]
        torch.testing.assert_close(whole[row, : len(text)], expected, atol=1e-5, rtol=1e-5)
    counted.calls = 0
    order = torch.tensor([4, 2])
    again = states(batch(CONTEXTS).select(order))
    assert torch.equal(again[0, :4], whole[4, :4])
    assert torch.equal(again[1, :1], whole[2, :1])
    assert counted.calls == 0
    assert not whole.requires_grad


def test_whether_there_is_room_changes_no_bit(monkeypatch):
    network = backbone("bert", tokens=SIZE)
    expected = FrozenStates(network).train()(batch(CONTEXTS))
    monkeypatch.setattr(frozen_states, "_BYTES", 32 * 4 * 5)
    small = FrozenStates(network).train()
    counted = Counted(network)
    for _ in range(2):
        assert torch.equal(small(batch(CONTEXTS)), expected)
    # Three tokens and one token found room, of which the second round asks for none.
    assert counted.calls == 5 + 3


def test_it_is_never_trained_and_has_no_dropout():
    network = backbone("bert", tokens=SIZE)
    network.embeddings.dropout.p = 0.9
    states = FrozenStates(copy.deepcopy(network)).train()
    assert states.training
    assert not states.backbone.training
    torch.testing.assert_close(
        states(batch(CONTEXTS))[1], states.eval()(batch(CONTEXTS))[1], atol=1e-5, rtol=1e-5
    )
    assert not any(one.requires_grad for one in states.parameters())
    assert set(states.state_dict()) == {f"backbone.{key}" for key in network.state_dict()}


def test_a_text_without_tokens_has_no_states():
    states = FrozenStates(backbone("bert", tokens=SIZE)).train()
    for texts in ([[]], [[], [7, 8]]):
        whole = states(batch(texts))
        assert whole.shape == (len(texts), max(1, *map(len, texts), 1), 32)
        assert whole[0].abs().sum() == 0
