import numpy as np
import pytest

from tests.models.inference.test_engine import texts, transformer
from textkin.base.cpu import ProductSpeeds
from textkin.models.inference import faster_way, precision
from textkin.models.inference.precision import self_check
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch


@pytest.fixture
def little_is_enough(monkeypatch):
    monkeypatch.setattr("textkin.models.self_check.WORTHWHILE", 100)
    monkeypatch.setattr(faster_way, "_SAMPLE", 400)


@pytest.fixture
def fast_products(monkeypatch):
    """Simulate a processor with fast bf16 products, so that bf16 is tried."""
    monkeypatch.setattr(precision, "product_speeds", lambda: ProductSpeeds(20.0, 50.0))


def test_the_choice_follows_what_was_measured(little_is_enough, fast_products, monkeypatch):
    module, ids = transformer(), texts()
    for least_gain, least_cosine, choice in ((0.0, 0.9, "bf16"), (1e9, 0.9, "fp32"), (0.0, 1.1, "fp32")):
        monkeypatch.setattr(faster_way, "_LEAST_GAIN", least_gain)
        monkeypatch.setattr(faster_way, "_LEAST_COSINE", least_cosine)
        check = self_check(module, ids, pad_id=0, texts=len(ids))
        assert check.computes == choice
        assert check.gain > 0
        assert 0.99 < check.cosine < 1
        assert 0 < check.texts < len(ids)
        assert f"on {check.texts} texts bf16 was {check.gain:.2f} times as fast" in str(check)


def test_nothing_is_measured_where_nothing_can_be_gained(little_is_enough, fast_products):
    ids = texts()
    lstm = build("siamese", size=60, pad_id=0, zero_ids=[], dim=4, hidden=4)
    assert self_check(lstm, ids, pad_id=0, texts=len(ids)).gain is None
    few = [np.full(9, 7, dtype=np.int32)] * 10
    assert self_check(transformer(), few, pad_id=0, texts=10).gain is None
    assert self_check(transformer(), few, pad_id=0, texts=1000).gain is not None  # ten of a thousand
    assert self_check(transformer(), [], pad_id=0, texts=0).computes == "fp32"


def test_bf16_is_not_tried_where_its_products_are_slow(little_is_enough, monkeypatch):
    monkeypatch.setattr(precision, "product_speeds", lambda: ProductSpeeds(20.0, 5.0))
    monkeypatch.setattr(precision, "Engine", None)
    check = self_check(transformer(), texts(), pad_id=0, texts=60)
    assert (check.computes, check.gain, check.products.gain) == ("fp32", None, 0.25)
    assert str(check) == "fp32: on this processor products in bf16 are 0.25 times as fast as those in fp32"
