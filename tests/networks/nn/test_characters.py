import numpy as np
import pytest
import torch

from tests.reference.nn import convolved, pooled
from tests.reference.recurrent import final_character_state
from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.characters import (
    CharacterCNN,
    CharacterLSTM,
    CharacterMax,
    distinct_spellings,
    with_characters,
)

pytestmark = pytest.mark.torch

TEXTS = [[[1, 2, 3], [4], [1, 2, 3], []], [[5, 4, 3, 2, 1, 6]], [], [[2, 1], [4]]]
SIZE = 8


def batch(texts, *, most=7):
    rows = [
        np.array([[9, *spelling, *[0] * (most - len(spelling))] for spelling in text], dtype=np.int32)
        for text in texts
    ]
    return TextBatch.from_ids([row.reshape(-1, 1 + most) for row in rows], pad_id=0)


def expected_of(network, spelling):
    if isinstance(network, CharacterLSTM):
        return final_character_state(network, spelling)
    if isinstance(network, CharacterMax):
        letters = network.letters.table[spelling].tolist() or [[0.0] * network.width]
        return torch.tensor([max(column) * network.width**0.5 for column in zip(*letters, strict=True)])
    layer = network.convolution.convolutions[0]
    rows = convolved(network.letters.table[spelling].tolist(), layer.weight.tolist(), layer.bias.tolist())
    return torch.tensor(pooled(rows, len(rows), "max") if rows else [0.0] * network.width)


@pytest.mark.parametrize(
    "network",
    [
        CharacterLSTM(size=SIZE, dim=3, hidden=4),
        CharacterCNN(size=SIZE, dim=3, filters=4, window=3),
        CharacterMax(size=SIZE, dim=4),
    ],
)
def test_character_networks_are_the_plain_loop(network):
    made = batch(TEXTS)
    found = network(made)
    assert found.shape == (*made.ids.shape, network.width)
    for row, text in enumerate(TEXTS):
        for place, spelling in enumerate(text):
            torch.testing.assert_close(found[row, place], expected_of(network, spelling), atol=1e-6, rtol=0)
    assert found[~made.mask].abs().sum() == 0


@pytest.mark.parametrize("kind", [CharacterLSTM, CharacterCNN, CharacterMax])
def test_tokens_of_one_spelling_add_up_their_gradients(kind):
    once, twice = batch([[[1, 2]], [[3]]]), batch([[[1, 2], [1, 2]], [[3], [3]]])
    network = kind(size=SIZE)
    gradients = []
    for made in (once, twice):
        network.zero_grad()
        network(made).square().sum().backward()
        gradients.append(network.letters.table.grad.clone())
    assert gradients[0].abs().sum() > 0
    torch.testing.assert_close(gradients[1], 2 * gradients[0])


def test_every_spelling_is_there_once_and_no_wider_than_the_longest():
    made = batch(TEXTS, most=12)
    found, places = distinct_spellings(made)
    assert sorted(found.tolist()) == sorted(
        [[0] * 6, [1, 2, 3, 0, 0, 0], [2, 1, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0], [5, 4, 3, 2, 1, 6]]
    )
    assert torch.equal(found[places], made.units[..., :6])


def test_characters_stand_behind_the_words():
    vectors, made = torch.randn(4, 4, 3), batch(TEXTS)
    network = CharacterCNN(size=SIZE)
    both = with_characters(vectors, made, network)
    assert torch.equal(both, torch.cat([vectors, network(made)], dim=-1))
    assert with_characters(vectors, made, None) is vectors


def test_a_batch_without_characters_is_refused():
    plain = TextBatch.from_ids([np.array([1, 2], dtype=np.int32)], pad_id=0)
    with pytest.raises(UsageError, match="reads characters"):
        CharacterLSTM(size=SIZE)(plain)
