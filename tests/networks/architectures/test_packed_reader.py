import pytest
import torch

from tests.networks.architectures.test_transformer_reader import QUESTIONS, WINDOWS, batch, reader
from textkin.networks.architectures.packed_reader import PackedReader

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
@pytest.mark.parametrize("none", [True, False])
def test_logits_are_those_of_the_network(family, none):
    module = reader(family, answers_none=none)
    packed = PackedReader.of(module, dtype=torch.float32)
    with torch.inference_mode():
        expected, found = (network(batch(QUESTIONS), batch(WINDOWS)) for network in (module, packed))
    torch.testing.assert_close(found.start, expected.start, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found.end, expected.end, atol=1e-5, rtol=1e-5)
    assert (found.none is None) == (not none)
    if none:
        torch.testing.assert_close(found.none, expected.none, atol=1e-5, rtol=1e-5)


def test_what_it_does_not_know_is_left_alone():
    assert PackedReader.of(reader("mpnet"), dtype=torch.float32) is None
