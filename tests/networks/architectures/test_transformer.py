import pytest
import torch

from textkin.networks.architectures.transformer import by_length

pytestmark = pytest.mark.torch


def test_texts_of_about_one_length_go_together():
    lengths = torch.tensor([9, 1, 8, 2, 0, 3, 7, 9, 4])
    mask = torch.arange(9) < lengths[:, None]
    seen = []

    def network(rows, longest):
        seen.append((len(rows), longest))
        return torch.stack([rows, lengths[rows]], dim=1)

    found = by_length(network, mask)
    assert found.tolist() == [[row, length] for row, length in enumerate(lengths.tolist())]
    assert sum(rows for rows, _ in seen) == 9
    assert sum(rows * longest for rows, longest in seen) < 60 < mask.numel()
    few = by_length(network, mask[:2])
    assert few.tolist() == [[0, 9], [1, 1]]


def test_a_batch_with_little_padding_is_not_split():
    mask = torch.arange(9) < torch.tensor([9, 9, 8, 9, 9, 8, 9, 9])[:, None]
    seen = []

    def network(rows, longest):
        seen.append((rows.tolist(), longest))
        return rows

    assert by_length(network, mask).tolist() == list(range(8))
    assert seen == [(list(range(8)), 9)]
