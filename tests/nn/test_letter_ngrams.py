import pytest
import torch

from tests.reference.windows import counts, joined_window, times
from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.nn.letter_ngrams import LetterNgrams
from textkin.nn.ngram_convolution import NgramConvolution

SIZE = 9
LENGTHS = [4, 1, 0]
MASK = torch.arange(5) < torch.tensor(LENGTHS)[:, None]


@pytest.fixture
def batch():
    torch.manual_seed(0)
    # Repeated n-grams, zeros between others, and noise at padding that must not count.
    return TextBatch(torch.ones(3, 5, dtype=torch.int64), MASK, torch.randint(0, SIZE, (3, 5, 6)))


def words(batch, row):
    return [counts(units, SIZE) for units in batch.units[row, : LENGTHS[row]].tolist()]


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


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_the_convolution_is_one_matrix_on_joined_counts(batch, width):
    layer = NgramConvolution(unit_size=SIZE, filters=2, width=width)
    tables = layer.words.table.reshape(SIZE, width, 2)
    matrix = tables.permute(2, 1, 0).reshape(2, width * SIZE).tolist()
    found = layer(batch)
    for row, length in enumerate(LENGTHS):
        tokens = words(batch, row)
        expected = [times(matrix, joined_window(tokens, place, width)) for place in range(length)]
        torch.testing.assert_close(found[row, :length], torch.tensor(expected).reshape(length, 2))


@pytest.mark.parametrize("unit_size", [0, 1])
def test_texts_without_spelling_are_refused(batch, unit_size):
    with pytest.raises(UsageError, match=f'unit_size is {unit_size}.*spelling = "ngrams"'):
        LetterNgrams(unit_size=unit_size, dim=3)
    with pytest.raises(UsageError, match="no units"):
        LetterNgrams(unit_size=SIZE, dim=3)(TextBatch(batch.ids, batch.mask))
