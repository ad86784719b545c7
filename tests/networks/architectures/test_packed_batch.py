"""A padded batch through a transformer without padding."""

import pytest
import torch

from textkin.networks.architectures.packed_batch import packed_states

pytestmark = pytest.mark.torch


class Counting:
    """A stand-in for a transformer: a token's state is its id, its type and the length of its text."""

    def states(self, ids, groups, *, types=None):
        lengths = torch.cat([torch.full((count * size,), size) for count, size in groups])
        return torch.stack([ids, torch.zeros_like(ids) if types is None else types, lengths], dim=1)


def test_tokens_stand_longest_texts_first_and_the_order_leads_back():
    ids = torch.tensor([[1, 2, 0], [3, 4, 5], [6, 0, 0], [7, 8, 9]])
    mask = ids > 0
    states, order = packed_states(Counting(), ids, mask, ids % 2)
    assert order.tolist() == [1, 3, 0, 2]
    assert states.tolist() == [
        *([3, 1, 3], [4, 0, 3], [5, 1, 3], [7, 1, 3], [8, 0, 3], [9, 1, 3]),
        *([1, 1, 2], [2, 0, 2], [6, 0, 1]),
    ]
    assert packed_states(Counting(), ids, mask, None)[0][:, 1].sum() == 0
