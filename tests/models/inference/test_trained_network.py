import pytest
import torch

from textkin.base.cpu import ProductSpeeds
from textkin.base.errors import UsageError
from textkin.models.inference import trained_network as networks
from textkin.models.inference.trained_network import TrainedNetwork, slowness_of
from textkin.text.pipeline import WordPipeline
from textkin.text.vocabulary import build_vocabulary

pytestmark = pytest.mark.torch


class Small(TrainedNetwork):
    def __reduce__(self):
        return str, (str(self._folder()),)


def test_a_network_has_a_name_and_knows_what_it_does_not_know():
    words = WordPipeline(build_vocabulary([["cat"]]))
    made = Small(torch.nn.Linear(1, 1), words, name="small", loaded=None)
    assert made.name == "small" and made.model is None
    assert made.unknown(["cat", "dog"])[1] == words.unknown(["dog"])[0]
    with pytest.raises(UsageError, match=r"small is in memory only.*; save it, and load it from there"):
        made.__reduce__()
    with pytest.raises(TypeError, match="abstract"):
        TrainedNetwork(torch.nn.Linear(1, 1), words, name="none", loaded=None)


def test_only_a_precision_that_does_not_pay_is_slow(monkeypatch):
    network = torch.nn.Linear(1, 1)
    for bf16, slow in ((50.0, True), (200.0, False)):
        monkeypatch.setattr(
            networks, "product_speeds", lambda bf16=bf16: ProductSpeeds(fp32=100.0, bf16=bf16)
        )
        assert slowness_of(network, "fp32") is None
        assert (slowness_of(network, "bf16") is not None) == slow
