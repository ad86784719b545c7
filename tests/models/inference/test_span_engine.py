"""Batches, precisions and threads change the speed of answers, not their values."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.networks.architectures.test_transformer_reader import reader
from textkin.base.cpu import ProductSpeeds
from textkin.base.errors import UsageError
from textkin.models.inference import precision, span_engine
from textkin.models.inference.precision import reader_check
from textkin.models.inference.span_engine import SpanEngine, WindowLogits, best_spans
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch
from textkin.text.span_windows import homes, windows

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
    monkeypatch.setattr(precision, "_SAMPLE", 400)
    monkeypatch.setattr(precision, "product_speeds", lambda: ProductSpeeds(20.0, 50.0))
    module, texts = reader(), sides()
    for least_gain, least_cosine, choice in ((0.0, 0.9, "bf16"), (1e9, 0.9, "fp32"), (0.0, 1.1, "fp32")):
        monkeypatch.setattr(precision, "_LEAST_GAIN", least_gain)
        monkeypatch.setattr(precision, "_LEAST_COSINE", least_cosine)
        check = reader_check(module, *texts, pad_id=0, texts=len(texts[0]))
        assert check.computes == choice
        assert 0.99 < check.cosine < 1
        assert 0 < check.texts < len(texts[0])
    assert reader_check(bidaf(), *texts, pad_id=0, texts=60).gain is None
    assert reader_check(module, [], [], pad_id=0, texts=0).computes == "fp32"


def made(seed, tokens, size, *, none=False):
    draw = np.random.default_rng(seed)
    return [
        WindowLogits(
            *draw.normal(size=(2, stop - start)).astype(np.float32), draw.normal() if none else None, start
        )
        for start, stop in windows(tokens, size)
    ]


def plain(parts, most):
    """All spans with their scores, and the logarithm of the normalising sum."""
    scores, total = {}, 0.0
    places = [(one.first, one.first + len(one.start)) for one in parts]
    for number, one in enumerate(parts):
        for i, start in enumerate(one.start.tolist()):
            for j, end in enumerate(one.end.tolist()):
                span = one.first + i, one.first + j
                if not i <= j < i + most or homes(places, *map(np.array, span)) != number:
                    continue
                total += math.exp(start + end)
                scores[span] = max(scores.get(span, -math.inf), start + end)
    if parts[0].none is not None:
        scores[-1, -1] = min(one.none for one in parts)
        total += math.exp(scores[-1, -1])
    return sorted(scores.items(), key=lambda item: (-item[1], item[0])), math.log(total)


@pytest.mark.parametrize("none", [False, True])
@pytest.mark.parametrize(
    ("tokens", "size", "most"), [(9, None, 9), (9, 4, 3), (14, 6, 7), (3, 2, 1), (1, 1, 2)]
)
def test_all_spans_in_order(tokens, size, most, none):
    for seed in range(5):
        parts = made(seed, tokens, size, none=none)
        found = best_spans(parts, most=most, k=1000)
        expected, total = plain(parts, most)
        spans = [one for one in found if one.first >= 0]
        for k in (1, 2, 5):  # no answer is added, wherever it is ranked
            few = best_spans(parts, most=most, k=k)
            assert [one for one in few if one.first >= 0] == spans[:k]
            assert [one for one in few if one.first < 0] == [one for one in found if one.first < 0]
            assert [one.score for one in few] == sorted((one.score for one in few), reverse=True)
        assert [(one.first, one.last) for one in found] == [span for span, _ in expected]
        for one, (_, score) in zip(found, expected, strict=True):
            assert one.score == pytest.approx(score, abs=1e-6)
            assert one.probability == pytest.approx(min(1, math.exp(score - total)), rel=1e-5)


def test_a_span_in_two_windows_has_the_score_of_its_home():
    left = WindowLogits(np.array([0, 0, 9, 1], np.float32), np.zeros(4, np.float32), first=0)
    right = WindowLogits(np.array([20, 1, 1, 3], np.float32), np.zeros(4, np.float32), first=2)
    found = best_spans([left, right], most=1, k=6)
    assert {one.first: one.score for one in found} == {0: 0, 1: 0, 2: 9, 3: 1, 4: 1, 5: 3}
    assert sum(one.probability for one in found) == pytest.approx(1)


def test_without_tokens_there_is_nothing_but_no_answer():
    nothing = np.empty(0, dtype=np.float32)
    assert best_spans([WindowLogits(nothing, nothing)], most=None) == []
    (found,) = best_spans([WindowLogits(nothing, nothing, 1.5)], most=None)
    assert (found.first, found.last, found.probability) == (-1, -1, 1.0)


def test_large_logits_do_not_overflow():
    start = np.array([9e4, 0], dtype=np.float32)
    (found,) = best_spans([WindowLogits(start, start)], most=None)
    assert (found.first, found.last, found.probability) == (0, 0, 1.0)
