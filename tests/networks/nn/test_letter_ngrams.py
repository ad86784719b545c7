import pytest
import torch

from tests.networks.nn.letters import LENGTHS, MASK, SIZE, words
from tests.reference.windows import counts, times
from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.letter_ngrams import LetterNgrams

pytestmark = pytest.mark.torch


def test_the_sums_of_rows_are_the_products_with_counts(batch):
    layer = LetterNgrams(unit_size=SIZE, dim=3)
    matrix = layer.table.T.tolist()
    of_words, of_texts = layer(batch), layer.whole(batch)
    assert of_words[~MASK].abs().sum() == 0
    for row, length in enumerate(LENGTHS):
        expected = [times(matrix, word) for word in words(batch, row)]
        torch.testing.assert_close(of_words[row, :length], torch.tensor(expected).reshape(length, 3))
        units = batch.units[row, :length].flatten().tolist()
        torch.testing.assert_close(of_texts[row], torch.tensor(times(matrix, counts(units, SIZE))))


def test_no_ngram_has_no_gradient(batch):
    layer = LetterNgrams(unit_size=SIZE, dim=3)
    layer(batch).sum().backward()
    assert layer.table.grad[0].abs().sum() == 0
    assert layer.table.grad[1:].abs().sum() > 0


@pytest.mark.parametrize("unit_size", [0, 1])
def test_texts_without_spelling_are_refused(batch, unit_size):
    with pytest.raises(UsageError) as error:
        LetterNgrams(unit_size=unit_size, dim=3)
    assert error.value.params == ("unit_size",)
    with pytest.raises(UsageError, match="no units"):
        LetterNgrams(unit_size=SIZE, dim=3)(TextBatch(batch.ids, batch.mask))
