"""CDSSM."""

import pytest
import torch

from tests.networks.architectures.letters import SMALL, scored, tanh
from tests.networks.architectures.spelt import SPELT, UNITS, assert_computed
from tests.reference.windows import counts, joined_window, times
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch


def cdssm_score(model, a, b):
    width = model.convolution.width
    tables = model.convolution.words.table.reshape(UNITS, width, -1)
    matrix = tables.permute(2, 1, 0).flatten(1).tolist()

    def vector(text):
        words = [counts(SPELT[token], UNITS) for token in text]
        places = [tanh(times(matrix, joined_window(words, place, width))) for place in range(len(words))]
        highest = [max(column) for column in zip(*places, strict=True)]
        return tanh(times(model.dense.weight.tolist(), highest))

    return scored(model, vector(a), vector(b))


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("outputs", [1, 3])
def test_it_is_the_plain_loop(width, outputs):
    torch.manual_seed(0)
    assert_computed(build("cdssm", **SMALL, dim=6, width=width, hidden=4, outputs=outputs), cdssm_score)
