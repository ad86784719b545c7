import pytest
import torch

from tests.reference.recurrent import read
from textkin.networks.nn.final_states import final_states
from textkin.networks.nn.recurrent import Recurrent

pytestmark = pytest.mark.torch


def test_final_states_are_those_that_torch_gives_each_text_alone():
    layer = Recurrent(cell="lstm", dim=3, hidden=4, bidirectional=True)
    lengths = [5, 1, 0, 3]
    mask = torch.arange(5) < torch.tensor(lengths)[:, None]
    inputs = torch.randn(4, 5, 3)
    ahead, back = final_states(layer(inputs, mask), mask)
    for row, length in enumerate(lengths):
        expected = read(layer, inputs[row, :length])[1] if length else torch.zeros(2, 4)
        torch.testing.assert_close(torch.stack([ahead[row], back[row]]), expected, atol=1e-6, rtol=0)
