"""Batches, precisions and threads change the speed of answers, not their values."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.networks.architectures.test_transformer_reader import reader
from textkin.base.cpu import ProductSpeeds
from textkin.base.errors import UsageError
from textkin.models.inference import faster_way, precision, span_engine
from textkin.models.inference.precision import reader_check
from textkin.models.inference.span_engine import SpanEngine
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch


def sides(count=60):
    draw = np.random.default_rng(5)

    def texts(least, most):
        return [draw.integers(5, 60, draw.integers(least, most)).astype(np.int32) for _ in range(count)]

    return texts(0, 9), texts(1, 25)


def alone(module, questions, windows):
    module.eval()
    with torch.inference_mode():
        return [
            module(*(TextBatch.from_ids([one], pad_id=0) for one in pair))
            for pair in zip(questions, windows, strict=True)
        ]


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet"])
@pytest.mark.parametrize("threads", [1, 2])
def test_logits_are_those_of_each_window_alone(family, threads, monkeypatch):
    monkeypatch.setattr(span_engine.engine, "PACKED_TOKENS", 100)
    monkeypatch.setattr(span_engine, "_TOKENS_PER_BATCH", 100)
    module, texts = reader(family, answers_none=True).train(), sides()
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = SpanEngine(module, pad_id=0).logits(*texts)
    finally:
        torch.set_num_threads(before)
    assert module.training
    for one, expected in zip(found, alone(module, *texts), strict=True):
        np.testing.assert_allclose(one.start, expected.start[0], atol=1e-5)
        np.testing.assert_allclose(one.end, expected.end[0], atol=1e-5)
        assert one.none == pytest.approx(float(expected.none.sum()), abs=2e-5)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_bf16_is_close(family):
    module, texts = reader(family), sides()
    exact = SpanEngine(module, pad_id=0).logits(*texts)
    engine = SpanEngine(module, pad_id=0, computes="bf16")
    assert engine.computes == "bf16"
    rough = engine.logits(*texts)
    differences = [np.abs(one.start - other.start).max() for one, other in zip(exact, rough, strict=True)]
    assert 0 < max(differences) < 0.2 * np.concatenate([one.start for one in exact]).std()


def bidaf():
    return build("bidaf", size=60, pad_id=0, dim=4, hidden=3)


def test_only_transformers_compute_in_bf16():
    with pytest.raises(UsageError) as error:
        SpanEngine(bidaf(), pad_id=0, computes="bf16")
    assert error.value.params == ("precision",)


def test_the_choice_follows_what_was_measured(monkeypatch):
    monkeypatch.setattr("textkin.models.self_check.WORTHWHILE", 100)
    monkeypatch.setattr(faster_way, "_SAMPLE", 400)
    monkeypatch.setattr(precision, "product_speeds", lambda: ProductSpeeds(20.0, 50.0))
    module, texts = reader(), sides()
    for least_gain, least_cosine, choice in ((0.0, 0.9, "bf16"), (1e9, 0.9, "fp32"), (0.0, 1.1, "fp32")):
        monkeypatch.setattr(faster_way, "_LEAST_GAIN", least_gain)
        monkeypatch.setattr(faster_way, "_LEAST_COSINE", least_cosine)
        check = reader_check(module, *texts, pad_id=0, texts=len(texts[0]))
        assert check.computes == choice
        assert 0.99 < check.cosine < 1
        assert 0 < check.texts < len(texts[0])
    assert reader_check(bidaf(), *texts, pad_id=0, texts=60).gain is None
    assert reader_check(module, [], [], pad_id=0, texts=0).computes == "fp32"
