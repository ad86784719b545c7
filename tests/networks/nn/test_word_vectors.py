import numpy as np
import pytest
import torch

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.word_vectors import Words, WordVectors

pytestmark = pytest.mark.torch

UNKNOWN = 1


def batch():
    first = np.array([[2, 1, 2, 0], [UNKNOWN, 3, 0, 0]], dtype=np.int32)
    return TextBatch.from_ids([first, np.array([[3, 0, 0, 0]], dtype=np.int32)], pad_id=0)


def test_a_vector_is_the_row_and_the_mean_of_the_units():
    words = WordVectors(Words(size=5, dim=4, pad_id=0, zero_ids=[UNKNOWN], unit_size=6))
    found = words(batch())
    rows, units = words.embedding.table, words.units.table
    expected = torch.zeros(2, 2, 4)
    expected[0, 0] = rows[2] + (units[1] + units[2]) / 2
    expected[0, 1] = units[3]  # no vocabulary knows the word
    expected[1, 0] = rows[3]  # nothing is spelt
    torch.testing.assert_close(found, expected * 2)  # 4^0.5


def test_without_units_rows_alone_count():
    words = WordVectors(Words(size=5, dim=4, pad_id=0, train_embedding=False))
    torch.testing.assert_close(words(batch()), words.embedding(batch().ids) * 2)
    assert not list(parameter for parameter in words.parameters() if parameter.requires_grad)


def test_the_spelling_can_be_left_to_another_part():
    words = WordVectors(Words(size=5, dim=4, pad_id=0, unit_size=6), spelt=False)
    assert list(words.state_dict()) == ["embedding.table"]


def test_dropout_is_for_training_only():
    words = WordVectors(Words(size=5, dim=64, pad_id=0), dropout=0.5)
    assert torch.equal(words.eval()(batch()), words(batch()))
    assert (words.train()(batch())[1, 0] == 0).float().mean() > 0.2
