import pytest
import torch

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.exact_match import exact_matches

pytestmark = pytest.mark.torch

PAD, UNKNOWN = 0, 1
A = [[2, 3, 1], [4, 0], [], [5, 5, 6, 7]]
B = [[3, 2, 3, 1], [0, 4], [2], [6, 5]]


def batch(texts):
    width = max(map(len, texts)) + 1
    ids = torch.tensor([text + [PAD] * (width - len(text)) for text in texts])
    mask = torch.tensor([[place < len(text) for place in range(width)] for text in texts])
    return TextBatch(ids, mask)


def test_it_is_the_plain_loop_cut_or_filled_up():
    for rows, columns in [(2, 3), (6, 8), (2, 8)]:
        found = exact_matches(batch(A), batch(B), unknown=torch.tensor([UNKNOWN]), shape=(rows, columns))
        for pair, (a, b) in enumerate(zip(A, B, strict=True)):
            expected = [
                [float(i < len(a) and j < len(b) and a[i] == b[j] != UNKNOWN) for j in range(columns)]
                for i in range(rows)
            ]
            assert found[pair].tolist() == expected


def test_without_ids_that_words_share_all_ids_count():
    none = torch.tensor([], dtype=torch.int64)
    assert exact_matches(batch(A), batch(B), unknown=none, shape=(3, 4))[0, 2].tolist() == [0, 0, 0, 1]
