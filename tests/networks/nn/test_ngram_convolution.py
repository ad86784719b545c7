"""Convolution over bags of letter n-grams."""

import pytest
import torch

from tests.networks.nn.letters import LENGTHS, SIZE, words
from tests.reference.windows import joined_window, times
from textkin.networks.nn.ngram_convolution import NgramConvolution

pytestmark = pytest.mark.torch


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
